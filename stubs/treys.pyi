"""What of treys is used here: it is installed for the benchmarks only."""

class Card:
    @staticmethod
    def new(string: str) -> int: ...

class Evaluator:
    def evaluate(self, hand: list[int], board: list[int]) -> int: ...
