"""The sysop's tool, `yawcctl`: one module a subcommand."""
