"""What people who look on may do at a table: talk. They have no seat, and nothing that happens waits for them. Pure.

Owns both places where they talk: the table's log, which everybody sees, if its master lets them; and the gallery, which
only on-lookers see. Who they are is not part of the table's value: sessions that may die at any time are known by the
directory (`casino.presence.onlookers`).
"""

from msgspec.structs import replace

from yawc_poker.engine.changes.attendance import leader_from, own_seat
from yawc_poker.engine.changes.effects import log
from yawc_poker.engine.changes.events import OnlookerChat, OnlookersMay
from yawc_poker.engine.game import EventT, IllegalMove, StateT
from yawc_poker.engine.values import CHAT, GALLERY, GalleryLine, Seat, Table


def let_speak(table: Table[StateT, EventT], session: int, *, on: bool) -> Table[StateT, EventT]:
    """Let on-lookers speak to the table, or not, as the master has decided; told to all.

    While a running game's master is a house player, or not here, the next person who is here decides. It holds for
    later masters, too, until one changes it or the last person leaves. Raise "not_seated", "not_master".
    """
    seat = own_seat(table, session)
    if table.master is None or leader_from(table, table.master) != seat:
        raise IllegalMove("not_master")
    return log(replace(table, open_gallery=on), OnlookersMay(seat, on), seat)


def speak(table: Table[StateT, EventT], session: int, name: str, text: str) -> Table[StateT, EventT]:
    """Log a line of somebody who looks on for everybody; raise "gallery_closed". An empty text changes nothing."""
    if not table.open_gallery:
        raise IllegalMove("gallery_closed")
    return log(table, OnlookerChat(text[:CHAT]), None, left=Seat(session, 0, name, 0)) if text else table


def murmur(table: Table[StateT, EventT], session: int, name: str, text: str) -> Table[StateT, EventT]:
    """Add a line of somebody who looks on, for the others who do. An empty text changes nothing."""
    if not text:
        return table
    number = table.gallery[-1].number + 1 if table.gallery else 1
    line = GalleryLine(number, session, name, text[:CHAT])
    return replace(table, gallery=(*table.gallery, line)[-GALLERY:])
