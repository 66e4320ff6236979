"""Sessions, tables and money: where shared memory, the rules and the ledger meet."""
