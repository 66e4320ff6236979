"""Listening sockets by kind, and a caller's socket as a `Line`."""
