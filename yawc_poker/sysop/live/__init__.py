"""Subcommands of `yawcctl` that go on while the BBS does: a screen of everything, and the events."""
