"""Benchmarks: figures compared with a limit or a peer that is measured in the same run. Not part of the tests."""
