"""Tables in shared memory: every operation on one is a transaction with a commit, and money by the bank."""
