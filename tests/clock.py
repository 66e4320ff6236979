"""A clock that stands still until a test moves it."""


class Clock:
    """Time as a value: `now` is set by the test, in seconds."""

    def __init__(self, now: float = 1e9) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now
