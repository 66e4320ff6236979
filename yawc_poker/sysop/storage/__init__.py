"""Where a stopped BBS keeps accounts and ledger: `yawcctl move`."""
