"""The way in, and all that is done at a prompt: the menus and what they lead to, but for the tables."""
