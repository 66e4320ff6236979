"""The parts of an operation on a table, which `engine.table` offers: who sits where, house players, common effects."""
