"""What `/report` does: the last lines that the caller has read go to the sysops' desk, with what they say of them.

Nothing hidden is among them: of a table it is what a by-stander reads. Whoever may not write to others may report.
"""

import logging
from collections.abc import Iterator
from typing import Final

from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine.table import read_log
from yawc_poker.extras.reports.notices import REPORT
from yawc_poker.extras.reports.rows import TooMany, keep, last_messages, sysops
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.table.table_session import Deed
from yawc_poker.table_ui.scene import ONLOOKER

log = logging.getLogger(__name__)

LINES: Final = 12
"""Lines that go with a report."""


def report(caller: Caller, table: GameTable | None, text: str) -> str:
    """Send a report to the sysops; return what became of it. Raise `StoreError`."""
    words, instance = caller.words, caller.instance
    if not text:
        return words("What do you report? As in: /report Bert insults me")
    if table is None:
        place, lines = words("Main prompt"), last_messages(instance.accounts.store, caller.user.id, LINES)
    else:
        place, lines = caller.others.table_name(table.number, words), list(_read_at(caller, table))[-LINES:]
    try:
        keep(instance.accounts.store, caller.user.id, place, [text, *lines])
    except TooMany:
        return words("Your last reports are not answered yet; please wait for that.")
    log.info("%r reports to the sysops", caller.user.name)
    found = sysops(instance.accounts.store)
    there = [one.index for one in instance.directory.people() if one.user in found]
    instance.notifier.tell(Kind.NOTICE, there, payload=f"{REPORT} {caller.user.name}".encode())
    return words("The sysops read it, with the last lines; they answer by letter.")


def _read_at(caller: Caller, table: GameTable) -> Iterator[str]:
    """Yield what was read at a table, and who sits there."""
    value, game = table.look(), caller.tables.game(table.number).definition
    for entry in read_log(value, game.rules, ONLOOKER):
        yield from (line for line, _ in game.sentences(entry, caller.words))
    yield from (f"({line.name}) {line.text}" for line in value.gallery)
    yield caller.words(game.titles.heading) + " " + ", ".join(seat.name for seat in value.seats if seat is not None)


ANNOUNCED = (Deed("report", report),)
