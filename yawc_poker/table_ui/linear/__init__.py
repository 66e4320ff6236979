"""A table told in lines, for callers without a screen: what a game adds, what is new, the state, the prompts. Pure."""
