"""The house player of Doppelkopf: a view in, a move out. Pure."""
