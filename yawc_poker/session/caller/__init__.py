"""One caller: the line, what they are asked and told, what they know of the others, how a session ends."""
