"""The courier's part in leases: it renews its host's, keeps what is known of the others', and takes away those that
have run out.

Owns what this process knows of its own punctuality. Invariants:

* A lease is taken away from a host that gave no sign for the time of a lease, by this process's own clock, while this
  process looked at its row all the time: after an outage of the database everybody has time to come back, and nobody
  loses anything because a clock was set.
* Hosts that fall silent together lose their leases together: while another one is late, nobody loses one.
* The words that say whose lease is in force (`ClusteredHost.note_lease`) follow the rows: a lease that has run out is
  in force until it is taken away, since its host may still write.
* No table's clock makes a move for so long after an outage, either (`ClusteredHost.back_since`): people could not act.
  Nor after the database's clock was set, by which the moments in rows are kept.
"""

import logging
import time
from typing import Final

from yawc_poker import __version__
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.store.connection import Connection
from yawc_poker.extras.cluster import joining, leases, local_host, settings

log = logging.getLogger(__name__)

TICKS: Final = 15
"""The courier's ticks in that time."""
_LATE: Final = 2 / leases.RENEWALS
"""Parts of a lease after which a host that gave no sign may have died; one that is well does so in half of it."""
_OUTAGE: Final = 2
"""Intervals between renewals after which people are taken to have been kept from acting."""
_WORSE: Final = 1.1
"""By how much a sample of the clock may be worse than the best one, which grows by this at each renewal."""
_JUMP_SECONDS: Final = 0.5
"""A clock of the database that differs by more was set."""


class Lease:
    """The lease of this host, as its courier holds it."""

    def __init__(self, instance: Instance, database: Connection) -> None:
        self._instance = instance
        self._here = local_host.ClusteredHost(instance.segment.head)
        self._database = database
        self._seconds = instance.config.of(settings.ClusterSettings).lease_seconds
        self._interval = self._seconds / leases.RENEWALS
        self._next = 0.0
        self._best_trip = 1.0
        self._signs = leases.Signs(self._seconds)
        self._others: list[leases.Host] = []
        """Those that hold leases."""
        self.is_unsettled = False
        """Whoever took this lease did not come so far as to settle what nobody plays; others wait for that."""

    def is_due(self, now: float) -> bool:
        """Return whether it has to be renewed; `now` in monotonic seconds."""
        return now >= self._next

    def failed(self, now: float) -> None:
        """Note that the database could not be reached."""
        self._signs.forget()
        self._next = now

    def hurry(self) -> None:
        """Renew it at the next look: somebody waits for a sign."""
        self._next = 0.0

    def renew(self, lag: float) -> set[int] | None:
        """Renew the lease, and return the hosts whose leases have ended since; None: this host's was taken away.

        `lag` is how many seconds late this process was at most since. Raise `StoreError`.
        """
        here = self._here
        asked = time.monotonic()
        found = leases.renew(self._database, here.number, here.epoch, self._seconds, lag, __version__)
        answered = time.monotonic()
        if found is None:
            return None
        if here.renewed and asked - here.renewed > _OUTAGE * self._interval:
            log.warning("the lease of this host was not renewed for %.1f s", asked - here.renewed)
            here.back_since = answered
            self._signs.forget()
        here.renewed = asked
        self._next = asked + self._interval
        self._set_clock(found, asked, answered)
        return self._look_at_others()

    def _set_clock(self, found: float, asked: float, answered: float) -> None:
        """Take over the database's clock, from an answer that took no longer than others, or if the clock was set."""
        here, trip, offset = self._here, answered - asked, found - (asked + answered) / 2
        was_set = abs(offset - here.offset) > max(trip, _JUMP_SECONDS)
        if was_set:
            log.warning("the clock of the database was set by %.1f s", offset - here.offset)
            here.back_since = answered
        if was_set or trip <= self._best_trip * _WORSE:
            here.offset = offset
        self._best_trip = min(trip, self._best_trip * _WORSE)

    def _look_at_others(self) -> set[int]:
        here, ended = self._here, set()
        known = leases.all_hosts(self._database)
        for host in known:
            epoch, was_in_force = here.lease(host.number)
            if was_in_force and (not host.holds or host.epoch != epoch) and host.number != here.number:
                ended.add(host.number)
            here.note_lease(host.number, host.epoch, host.holds)
        self.is_unsettled = any(host.alone for host in known if host.number == here.number)
        self._others = [host for host in known if host.holds and host.number != here.number]
        self._signs.note(self._others)
        return ended

    def take_away(self) -> set[int]:
        """Take away the leases of others that gave no sign for the time of one, and return whose have ended.

        The rows of their sessions go in the same transaction. Raise `StoreError`.
        """
        silence = {host: self._signs.silence(host) for host in self._others if not host.gone}
        silent = [host for host, lasted in silence.items() if lasted >= 1]
        if not silent or any(_LATE <= lasted < 1 for lasted in silence.values()):
            return set()
        accounts = self._instance.accounts
        with accounts.store.writing() as users:
            ended = leases.take_away(users, silent)
            joining.forget_sessions(users, ended, accounts.store.clock())
        names = {host.number: host.name for host in self._others}
        for one in ended:
            self._here.note_lease(one.number, one.epoch, False)
        for one in ended:
            name = names.get(one.number, one.number)
            log.warning("host %s gave no sign: its lease is taken away, its sessions are gone", name)
        return {one.number for one in ended}
