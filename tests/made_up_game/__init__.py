"""Highest card: a game that only the tests have, to prove that a game is a folder and a line in the registry.

It has what no other game has: a deck with two of each card, an announcement out of turn, turns of several moves, places
instead of points, and no CUBES. `python -m tests.made_up_game telnetd ...` is a listener that has it in its registry.
"""
