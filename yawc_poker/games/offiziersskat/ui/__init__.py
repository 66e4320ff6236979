"""Offiziersskat at a terminal: screen, sentences, narrative and keys. Pure."""
