"""Friends: whom one is told of when they come, challenges to people who are not here, tables for the invited only.

An extra: delete this folder, and callers meet at the prompt and at tables as before.
"""
