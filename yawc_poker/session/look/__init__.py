"""How one caller is addressed and shown things: language, characters, preferences, and what calls them."""
