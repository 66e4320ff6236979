"""The CUBES that a user earns by being online.

Owns the time that was not credited yet. Never asks for the time itself: moments are monotonic seconds.
"""

from yawc_poker.casino.bank.bank import Bank

_HOUR = 3600


class OnlineTime:
    """The online time of one session's user."""

    def __init__(self, bank: Bank, session: int, cubes_per_hour: float, now: float) -> None:
        """`session` is the session's token."""
        self._bank = bank
        self._session = session
        self._per_hour = cubes_per_hour
        self._since = now
        self._credits = 0
        """How many were confirmed by the bank."""

    def begin(self, now: float) -> None:
        """Count from now on: the user has logged in."""
        self._since = now

    def credit(self, user: int, now: float, *, final: bool) -> None:
        """Credit the time once a whole CUBE is due, or what there is of it if this is `final`.

        Raise `StoreError`, and then the time is kept for the next try.
        """
        seconds = now - self._since
        if self._per_hour <= 0 or (not final and seconds * self._per_hour < _HOUR):
            return
        # The same key until the bank has confirmed it: what looked like a failure may have been booked.
        self._bank.earn(user, f"{self._session:016x}:{self._credits}", seconds, self._per_hour)
        self._credits += 1
        self._since = now
