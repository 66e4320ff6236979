"""The BBS as a whole: founding, watching over sessions, closing down; its log, its metrics, a session at a terminal."""
