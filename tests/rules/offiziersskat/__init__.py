"""Offiziersskat's rules, by example and by properties (spec/offiziersskat.md)."""
