"""What is changed of a table's screen after it was drawn. Pure."""
