"""Figures beside a limit or a peer that is measured in the same run; never part of the tests."""
