"""GMCP: clients for MUDs are told table, turn and hand as JSON, beside what is on the terminal.

An extra: delete this folder, and such clients show the terminal as any other. docs/mud-clients.md has the protocol.
"""
