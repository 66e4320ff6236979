"""What of pokerkit is used here: it is installed for the benchmarks only."""

from collections.abc import Iterator, Sequence

class Card:
    @classmethod
    def parse(cls, *raw: str) -> Iterator[Card]: ...

class Entry: ...

class StandardLookup:
    def get_entry(self, cards: Sequence[Card]) -> Entry: ...
