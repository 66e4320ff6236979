"""What is told of those who look on at a table, and to them. Pure."""
