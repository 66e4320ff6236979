"""Databases: how they are opened, read and written in transactions; SQLite's files, or one PostgreSQL database."""
