"""Replay: a finished game move by move on the table's own screen, in lines and as text, for those who may see it.

An extra: delete this folder, and every game is still told and proven by its page.
"""
