"""YAWC Poker: a BBS casino in which every caller is a process. README.md says where to start."""

__version__ = "1.0.0"
"""Of the code that runs, not of the files on disk: read when the listener starts, and inherited."""
