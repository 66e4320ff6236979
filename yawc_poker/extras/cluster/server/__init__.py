"""A PostgreSQL database, by psycopg: as a store, and as a connection that listens."""
