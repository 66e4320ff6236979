"""What happened in the BBS, as programs of the sysop's are told it: who came and went, games, sysop actions."""
