"""A house player: a session without a caller, which sits down where it is asked to and plays by the game's program."""
