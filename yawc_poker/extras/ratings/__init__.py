"""Ratings: how well somebody plays each game, from the results of all their games; the ladder, a profile's line.

An extra: delete this folder, and the ledger, the tables and the rankings are what they were.
"""
