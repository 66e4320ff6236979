"""Poker at a terminal: what is drawn, said and told again, and what keys mean. Pure."""
