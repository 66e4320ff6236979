"""The door for browsers: the page and its files by HTTP, sessions by WebSocket. Loaded only if the door is open."""
