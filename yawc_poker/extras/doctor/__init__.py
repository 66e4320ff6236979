"""`yawcctl doctor`: what can be wrong around a BBS, on its machine, each with its cure.

An extra: delete this folder, and the BBS is what it was.
"""
