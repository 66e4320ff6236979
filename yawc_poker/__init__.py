"""YAWC Poker: a BBS casino in which every caller is a process. README.md says where to start."""
