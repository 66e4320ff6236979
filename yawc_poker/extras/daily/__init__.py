"""The deal of the day: one sealed deal a day for each game, the same for everybody, played once, alone; and lessons.

An extra: delete this folder, and tables, CUBES and rankings are what they were.
"""
