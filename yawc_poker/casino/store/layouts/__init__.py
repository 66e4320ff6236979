"""The layouts of the tables in a PostgreSQL database, as SQL text. SQLite's are in `bank.schema` and `users.schema`."""
