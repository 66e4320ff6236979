"""Analysis: what a finished game's decisions cost, in the view of a house player of the level "hard".

An extra: delete this folder, and finished games are told and proven as before.
"""
