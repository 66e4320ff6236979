"""What all games at a terminal share: intents, scene, chat, screen and sentences of any table. Pure.

Owns no rule and no deck. The games import this package; it imports none of them.
"""
