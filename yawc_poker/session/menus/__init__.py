"""The BBS around the tables: login, the menus, the sysop's desk, the games that were played."""
