"""The program of poker's house players."""
