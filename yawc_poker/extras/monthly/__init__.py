"""`yawcctl month`: callers by day, games, and where CUBES came from and went, of a month; as text, JSON, or a plot.

An extra: delete this folder, and the ledger and its accounts are what they were.
"""
