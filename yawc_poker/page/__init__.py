"""What a page around the terminal is told, as a browser has one: keys, messages, title, language. Pure."""
