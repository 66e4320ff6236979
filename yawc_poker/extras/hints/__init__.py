"""Hints: `!` at a table tells the one on turn what a house player of the level "hard" would do.

An extra: delete this folder, and tables are played without; games in which hints were taken are told as they were.
"""
