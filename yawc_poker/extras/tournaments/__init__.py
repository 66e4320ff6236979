"""Tournaments: matches by rounds at the casino's tables, with fees, standings, prizes and a hall of fame.

An extra: delete this folder, and a table knows of nobody that it could be reserved for.
"""
