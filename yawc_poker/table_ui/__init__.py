"""What all games at a terminal share: what a caller asks for, sees and hears of a table besides its game. Pure.

Owns no rule and no card. The games know this folder; it knows none of them.
"""
