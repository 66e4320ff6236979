"""The games: each a folder with its rules, its screen and what else it needs; none knows another."""
