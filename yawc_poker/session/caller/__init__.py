"""One caller: the line, what they are asked and told, how a session ends."""
