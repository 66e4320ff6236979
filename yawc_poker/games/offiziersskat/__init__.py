"""Offiziersskat (spec/offiziersskat.md): two players, tricks, open and covered cards."""
