"""Tournaments in the bank's books: who called them, who entered, who sits with whom, what came of it; fees and prizes.

Owns the tables `tournament`, `entrant`, `bout` (a table of a round) and `bout_player`, and the keys of these movements:

* `ante:tournament:ID:USER:N`: a user pays the fee, the N-th time. The house keeps it apart, in an account of its own.
* `refund:tournament:ID:USER:N`: it goes back, as the user or the tournament did not take place.
* `payout:tournament:ID`: all prizes, in one transaction.
* `house:tournament:ID:WHAT`: nothing moves, but it is called, a round is drawn, or it ends (`happenings`).

Every function works inside a transaction of the caller's. One that changes something keeps the tournament's row first
(`find`), and looks whether there still is something to do: so it may be done by any process, at any time, and again.
Invariant: the account of a tournament holds the fees of its entrants until it is over, then nothing.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, Literal

import msgspec
from msgspec.structs import astuple, replace

from yawc_poker.casino.bank import history, ledger, wagers
from yawc_poker.casino.bank.ledger import BankError
from yawc_poker.casino.bank.results import scores_of
from yawc_poker.casino.instance.happenings import note
from yawc_poker.casino.store.connection import Connection, struct_of
from yawc_poker.engine.house import is_house
from yawc_poker.extras.tournaments import chips
from yawc_poker.extras.tournaments.draw import drawn, met, rotated, sizes
from yawc_poker.extras.tournaments.matches import is_known, match_of
from yawc_poker.extras.tournaments.standings import WIN, Played, Standing, points_of, prizes, standings
from yawc_poker.games.poker.model import Options
from yawc_poker.registry.games import game_of

State = Literal["open", "running", "over", "off"]
"""Entrants may come and go; matches are played; there are standings that stay; it does not take place."""
_LIVE: Final = frozenset({"open", "running"})
"""States in which the house holds the fees."""
FEWEST: Final = 2
"""Entrants without whom a tournament does not take place."""


class Refused(BankError):
    """It is not possible now, for a reason that is a fixed word. Nothing was changed."""


class Plan(msgspec.Struct, frozen=True):
    """What a tournament is, as it was called."""

    kind: str
    """Of its game."""
    name: str
    host: int
    """The user who called it; 0: a sysop did, by `yawcctl`."""
    starts: float
    """Epoch seconds."""
    every: int
    """Days until the next one; 0: there is none."""
    rounds: int
    """0: as many as it takes, with chips."""
    length: int
    """Of a match, as its game counts that."""
    entry: int
    """The fee in CUBES."""
    swiss: bool
    """Who is strong sits with who is strong; false: everybody meets everybody, as far as the rounds allow."""


class Tournament(Plan, frozen=True):
    """A tournament, and how far it is."""

    id: int
    state: State
    round: int
    """From 1; 0: it has not begun."""
    ended: float | None

    def mark(self, board: int) -> str:
        """Return by what a table is reserved for a match of the round."""
        return f"tournament {self.id}.{self.round}.{board}"


class Bout(msgspec.Struct, frozen=True):
    """A match of the round that is played."""

    board: int
    """From 1."""
    place: int | None
    """The table's number in the segment; None: none was free yet."""
    since: int
    """The ledger's newest game when the table was chosen."""
    began: float
    """When that was, or when the table was reserved last, in epoch seconds."""
    users: tuple[int, ...]


_COLUMNS: Final = ", ".join(Tournament.__struct_fields__)
_PLANNED: Final = ", ".join(Plan.__struct_fields__)


# --- looking ----------------------------------------------------------------------------------------------------------


def find(books: Connection, number: int) -> Tournament:
    """Return a tournament; in a writing transaction it is kept so until its end. Raise `Refused`."""
    query = f"SELECT {_COLUMNS} FROM tournament WHERE id = ?{books.for_update}"
    row = books.execute(query, (number,)).fetchone()
    if row is None:
        raise Refused("unknown")
    return struct_of(Tournament, row)


def live(books: Connection) -> list[Tournament]:
    """Return the tournaments that are open or running, the next first."""
    query = f"SELECT {_COLUMNS} FROM tournament WHERE state IN ('open', 'running') ORDER BY starts, id"
    return [struct_of(Tournament, row) for row in books.execute(query)]


def past(books: Connection, limit: int, since: float = 0.0) -> list[Tournament]:
    """Return the tournaments that ended after a moment, the newest first."""
    query = f"SELECT {_COLUMNS} FROM tournament WHERE ended > ? ORDER BY ended DESC, id DESC LIMIT ?"
    return [struct_of(Tournament, row) for row in books.execute(query, (since, limit))]


def has_called(books: Connection, user: int) -> bool:
    """Return whether a user has called a tournament that is open."""
    return any(one.host == user and one.state == "open" for one in live(books))


def entrants(books: Connection, number: int) -> list[int]:
    """Return who has entered a tournament, in the order in which they did."""
    query = "SELECT user FROM entrant WHERE tournament = ? ORDER BY number"
    return [int(user) for (user,) in books.execute(query, (number,))]


def entered(books: Connection, user: int) -> list[Tournament]:
    """Return the tournaments that are open or running and that a user has entered, the next first."""
    return [one for one in live(books) if user in entrants(books, one.id)]


def worth(books: Connection, user: int) -> int:
    """Return the fees that a user would get back now."""
    return sum(one.entry for one in entered(books, user) if one.state == "open")


def fees(books: Connection, number: int) -> int:
    """Return what the house holds for a tournament."""
    return ledger.balance(books, "house", -number)


def played(books: Connection, number: int) -> list[Played]:
    """Return what everybody has made of the matches that are over."""
    query = """
        SELECT round, board, user, points FROM bout_player WHERE tournament = ? AND points IS NOT NULL
        ORDER BY round, board, user
    """
    return [Played(*map(int, row)) for row in books.execute(query, (number,))]


def table_of(books: Connection, number: int) -> list[Standing]:
    """Return the standings of a tournament as they are now."""
    ranking = chips.standings if match_of(find(books, number).kind).chips else standings
    return ranking(entrants(books, number), played(books, number))


def stacks(books: Connection, one: Tournament, users: Collection[int]) -> dict[int, int]:
    """Return the chips that these users have before the round."""
    return chips.stacks_of(users, played(books, one.id), one.round)


def due(books: Connection, number: int, order: Sequence[Standing]) -> dict[int, int]:
    """Return the prizes of a tournament that would end now, with these standings, by user."""
    return prizes(fees(books, number), order)


def paid(books: Connection, number: int) -> dict[int, int]:
    """Return the prizes of a tournament that is over, by user."""
    return ledger.received(books, _payout(number))


def bouts(books: Connection, one: Tournament) -> list[Bout]:
    """Return the matches of the round that are not over."""
    at = (one.id, one.round)
    query = "SELECT board, user FROM bout_player WHERE tournament = ? AND round = ? AND board > 0 ORDER BY user"
    users: dict[int, list[int]] = {}
    for board, user in books.execute(query, at):
        users.setdefault(int(board), []).append(int(user))
    query = """
        SELECT board, place, since, began FROM bout WHERE tournament = ? AND round = ? AND ended IS NULL ORDER BY board
    """
    return [
        Bout(int(board), None if place is None else int(place), int(since), float(began), tuple(users[int(board)]))
        for board, place, since, began in books.execute(query, at)
    ]


def seats_of(books: Connection, user: int) -> list[tuple[Tournament, Bout]]:
    """Return the matches that a user has to play now."""
    return [(one, bout) for one, bout in _played_now(books) if user in bout.users]


def places_taken(books: Connection) -> dict[int, str]:
    """Return the tables of all matches that are not over, each with the mark that it is reserved by.

    With chips those whose hand is over wait for the other ones: nobody plays anything else there meanwhile.
    """
    query = "SELECT board, place FROM bout WHERE tournament = ? AND round = ? AND place IS NOT NULL"
    return {
        int(place): one.mark(int(board))
        for one in live(books)
        if one.state == "running"
        for board, place in books.execute(
            query if match_of(one.kind).chips else f"{query} AND ended IS NULL", (one.id, one.round)
        ).fetchall()
    }


def wanting(books: Connection) -> set[str]:
    """Return the kinds of games in which a match has no table."""
    return {one.kind for one, bout in _played_now(books) if bout.place is None}


def _played_now(books: Connection) -> list[tuple[Tournament, Bout]]:
    return [(one, bout) for one in live(books) if one.state == "running" for bout in bouts(books, one)]


def fame(books: Connection, kind: str, limit: int) -> list[tuple[int, int, int]]:
    """Return who has won most tournaments of a kind of game: user, tournaments won, CUBES of all prizes."""
    query = """
        SELECT user, sum(CASE WHEN rank = 1 THEN 1 ELSE 0 END) AS won, sum(prize) AS cubes
        FROM entrant JOIN tournament ON tournament.id = entrant.tournament
        WHERE kind = ? AND state = 'over' AND (rank = 1 OR prize > 0) GROUP BY user
        ORDER BY won DESC, cubes DESC, user LIMIT ?
    """
    return [(int(user), int(won), int(cubes)) for user, won, cubes in books.execute(query, (kind, limit))]


# --- before it begins -------------------------------------------------------------------------------------------------


def call(books: Connection, now: float, plan: Plan) -> int:
    """Call a tournament, and return its number."""
    places = ", ".join("?" * len(Plan.__struct_fields__))
    query = f"INSERT INTO tournament ({_PLANNED}, state, round) VALUES ({places}, 'open', 0) RETURNING id"
    row = [int(one) if isinstance(one, bool) else one for one in astuple(plan)]
    number = int(books.execute(query, row).fetchone()[0])
    _note(books, now, number, "called")
    return number


def _note(books: Connection, now: float, number: int, what: str) -> None:
    """Write down what a tournament's events tell (`happenings`)."""
    note(books, now, "tournament", f"{number}:{what}")


def enter(books: Connection, now: float, number: int, user: int) -> None:
    """Enter a user, who pays the fee; again it does nothing. Raise `Refused` "closed", `StillPlaying`, `NotEnough`."""
    one = find(books, number)
    if one.state != "open":
        raise Refused("closed")
    there = entrants(books, number)
    if user in there:
        return
    key = _next_key(books, f"ante:tournament:{number}:{user}")
    if one.entry:
        wagers.need_no_game(books, user)
        ledger.move(books, now, key, "house", user, -one.entry, -number)
    query = """
        INSERT INTO entrant (tournament, user, number)
        SELECT :one, :user, coalesce(max(number), 0) + 1 FROM entrant WHERE tournament = :one
    """
    books.execute(query, {"one": number, "user": user})


def withdraw(books: Connection, now: float, number: int, user: int) -> None:
    """Take back a user's entry, and give the fee back; again it does nothing. Raise `Refused` "closed"."""
    one = find(books, number)
    if one.state != "open":
        raise Refused("closed")
    _leave(books, now, one, user)


def leave(books: Connection, now: float, number: int, user: int) -> None:
    """Take back the entry of a user whose account is closed, also while matches are played; who is gone wins nothing.

    Once the tournament is over, or again, it does nothing.
    """
    one = find(books, number)
    if one.state in _LIVE:
        _leave(books, now, one, user)


def _leave(books: Connection, now: float, one: Tournament, user: int) -> None:
    if user in entrants(books, one.id):
        _give_back(books, now, one, user)
        books.execute("DELETE FROM entrant WHERE tournament = ? AND user = ?", (one.id, user))


def hasten(books: Connection, now: float, number: int) -> None:
    """Let a tournament that is open be due now; those that follow keep their times. Raise `Refused` "closed"."""
    one = find(books, number)
    if one.state != "open":
        raise Refused("closed")
    if one.starts > now:
        _call_again(books, now, one)
        books.execute("UPDATE tournament SET starts = ?, every = 0 WHERE id = ?", (now, number))


def call_off(books: Connection, now: float, number: int, *, running: bool = False) -> None:
    """Let a tournament that is open not take place; all fees go back, and none follows it. Raise `Refused` "closed".

    `running`: one that runs may end so, too, without prizes.
    """
    one = find(books, number)
    if one.state not in (_LIVE if running else {"open"}):
        raise Refused("closed")
    _off(books, now, one)


def _off(books: Connection, now: float, one: Tournament) -> None:
    there = entrants(books, one.id)
    ledger.hold_purses(books, there)  # all at once, in the order of everybody who pays several
    for user in there:
        _give_back(books, now, one, user)
    books.execute("UPDATE tournament SET state = 'off', ended = ? WHERE id = ?", (now, one.id))
    _note(books, now, one.id, "off")


def _give_back(books: Connection, now: float, one: Tournament, user: int) -> None:
    if one.entry:
        key = _next_key(books, f"refund:tournament:{one.id}:{user}")
        ledger.move(books, now, key, "house", user, one.entry, -one.id)


def _next_key(books: Connection, start: str) -> str:
    query = "SELECT count(*) FROM txn WHERE key > ? || ':' AND key < ? || ';'"
    return f"{start}:{books.execute(query, (start, start)).fetchone()[0]}"


def _payout(number: int) -> str:
    return f"payout:tournament:{number}"


def _call_again(books: Connection, now: float, one: Tournament) -> None:
    """Call the next one of those that are repeated, at the same time of a day to come."""
    if one.every:
        plan = Plan(*astuple(one)[: len(Plan.__struct_fields__)])
        call(books, now, replace(plan, starts=next_start(one.starts, one.every, now)))


def next_start(last: float, every: int, now: float) -> float:
    """Return the first moment behind now that is some times `every` days behind the last, by the local clock."""
    days = every
    while True:
        at = time.localtime(last)
        moment = time.mktime((at.tm_year, at.tm_mon, at.tm_mday + days, at.tm_hour, at.tm_min, at.tm_sec, 0, 0, -1))
        if moment > now:
            return moment
        days += every


# --- rounds -----------------------------------------------------------------------------------------------------------


def begin(books: Connection, now: float, number: int, *, filled: bool) -> None:
    """Begin a tournament that is due, with its first round; with too few entrants it does not take place.

    `filled`: house players take the seats that are missing at a table.
    """
    one = find(books, number)
    if one.state != "open" or now < one.starts:
        return
    _call_again(books, now, one)
    there = entrants(books, number)
    if len(there) < (FEWEST if filled else max(FEWEST, game_of(one.kind).fewest)):
        _off(books, now, one)
        return
    books.execute("UPDATE tournament SET state = 'running' WHERE id = ?", (number,))
    _draw(books, now, one, filled=filled)


def _draw(books: Connection, now: float, one: Tournament, *, filled: bool) -> None:
    """Draw the next round."""
    there, before = entrants(books, one.id), played(books, one.id)
    match, game = match_of(one.kind), game_of(one.kind)
    if match.chips and one.round:
        left = chips.stacks_of(there, before, one.round + 1)
        last: dict[int, list[int]] = {}
        for row in before:
            if row.round == one.round and row.user in left:
                last.setdefault(row.board, []).append(row.user)
        _seat(books, now, one, chips.merged(last.values(), game.seats), ())
        return
    order = [standing.user for standing in standings(there, before)] if one.swiss else rotated(there, one.round)
    tables: dict[tuple[int, int], list[int]] = {}
    out: dict[int, int] = {}
    for row in before:
        if row.board:
            tables.setdefault((row.round, row.board), []).append(row.user)
        else:
            out[row.user] = out.get(row.user, 0) + 1
    wanted = sizes(len(there), game.fewest, match.seats or game.seats, filled=filled)
    found = drawn(order, wanted, met(tables.values()), out)
    seated = {user for table in found for user in table}
    _seat(books, now, one, found, [user for user in there if user not in seated])


def _seat(books: Connection, now: float, one: Tournament, found: Sequence[Sequence[int]], out: Collection[int]) -> None:
    """Begin the next round with these tables, and those who sit `out`."""
    number = one.round + 1
    for board, table in enumerate(found, 1):
        books.execute(
            "INSERT INTO bout (tournament, round, board, since, began) VALUES (?, ?, ?, 0, ?)",
            (one.id, number, board, now),
        )
        rows = [(one.id, number, user, board) for user in table]
        books.executemany("INSERT INTO bout_player (tournament, round, user, board) VALUES (?, ?, ?, ?)", rows)
    out_now = [(one.id, number, user, 0, WIN // 2) for user in out]
    books.executemany(
        "INSERT INTO bout_player (tournament, round, user, board, points) VALUES (?, ?, ?, ?, ?)", out_now
    )
    books.execute("UPDATE tournament SET round = ? WHERE id = ?", (number, one.id))
    _note(books, now, one.id, f"round:{number}")


def choose_place(books: Connection, now: float, one: Tournament, board: int, free: Iterable[int]) -> None:
    """Choose a table for a match of the round that has none, of those that are free, unless another match has it."""
    now_at = find(books, one.id)
    taken = places_taken(books)
    place = next((place for place in free if place not in taken), None)
    if place is None or (now_at.state, now_at.round) != ("running", one.round):
        return
    query = """
        UPDATE bout SET place = :place, began = :now, since = (SELECT coalesce(max(id), 0) FROM game)
        WHERE tournament = :one AND round = :round AND board = :board AND place IS NULL AND ended IS NULL
    """
    at = {"one": one.id, "round": one.round, "board": board}
    books.execute(query, at | {"place": place, "now": now})


def leave_place(books: Connection, one: Tournament, bout: Bout) -> None:
    """Leave a match without a table again: others sit at the one that was chosen."""
    find(books, one.id)
    query = "UPDATE bout SET place = NULL WHERE tournament = ? AND round = ? AND board = ? AND place = ?"
    books.execute(query, (one.id, one.round, bout.board, bout.place))


def wait_anew(books: Connection, now: float, one: Tournament, bout: Bout) -> None:
    """Let the time in which its players are waited for begin now: a match's table has just been reserved."""
    find(books, one.id)
    query = "UPDATE bout SET began = ? WHERE tournament = ? AND round = ? AND board = ? AND ended IS NULL"
    books.execute(query, (now, one.id, one.round, bout.board))


def result(books: Connection, one: Tournament, bout: Bout) -> dict[int, int] | None:
    """Return the points of a match for its players by its game, or their chips; None: it has not been played.

    Its game is the first one at its table that none but its players, and the house, played. Who was not in it has no
    points.
    """
    query = """
        SELECT id FROM game WHERE table_no = ? AND id > ? AND kind = ? AND closed IS NOT NULL AND outcome <> 'refunded'
        ORDER BY id
    """
    found = [int(game) for (game,) in books.execute(query, (bout.place, bout.since, one.kind)).fetchall()]
    ours = [game for game in found if _is_theirs(books, game, bout.users)]
    if match_of(one.kind).chips:
        wanted = hand_of(books, one, bout)
        hands = (chips.after(played, wanted) for game in ours if (played := history.game(books, game)) is not None)
        return next((hand for hand in hands if hand is not None), None)
    if not ours:
        return None
    points = points_of(scores_of(books, ours[0]).ranks)
    return {user: points.get(user, 0) for user in bout.users}


def hand_of(books: Connection, one: Tournament, bout: Bout) -> Options:
    """Return the options of a match that is a hand for chips."""
    return chips.options(one.round, one.length, stacks(books, one, bout.users))


def _is_theirs(books: Connection, game: int, users: Collection[int]) -> bool:
    there = [int(user) for (user,) in books.execute("SELECT user FROM player WHERE game = ?", (game,))]
    return any(user in users for user in there) and all(user in users or is_house(user) for user in there)


def is_played(books: Connection, one: Tournament) -> bool:
    """Return whether any match of the round has been played to its end."""
    query = "SELECT count(*) FROM bout WHERE tournament = ? AND round = ? AND is_played = 1"
    return bool(books.execute(query, (one.id, one.round)).fetchone()[0])


def unplayed(books: Connection, one: Tournament, bout: Bout, there: Collection[int]) -> dict[int, int]:
    """Return the points, or chips, of a match that could not be played, by who is `there`."""
    if match_of(one.kind).chips:
        return chips.unplayed(hand_of(books, one, bout), there)
    return by_attendance(bout.users, there)


def by_attendance(users: Collection[int], there: Collection[int]) -> dict[int, int]:
    """Return the points of a match that could not be played: those who are `there` are level, and before the others."""
    points = points_of({user: int(user not in there) for user in users})
    return {user: points[user] if user in there else 0 for user in users}


def end_bout(
    books: Connection, now: float, one: Tournament, bout: Bout, points: Mapping[int, int], *, is_played: bool
) -> None:
    """Note what came of a match, once. `is_played`: by its games; else by who was there."""
    query = """
        UPDATE bout SET ended = :now, is_played = :is_played
        WHERE tournament = :one AND round = :round AND board = :board AND ended IS NULL
        AND EXISTS (SELECT 1 FROM tournament WHERE id = :one AND state = 'running')
    """
    find(books, one.id)
    at = {"one": one.id, "round": one.round, "board": bout.board}
    if books.execute(query, at | {"now": now, "is_played": int(is_played)}).rowcount:
        rows = [(cubes, one.id, one.round, user) for user, cubes in points.items()]
        books.executemany("UPDATE bout_player SET points = ? WHERE tournament = ? AND round = ? AND user = ?", rows)


def is_last_round(books: Connection, one: Tournament) -> bool:
    """Return whether a tournament is over behind the round that is played, whose matches are over.

    With chips that is so once one player has all of them, or nobody came to any table.
    """
    if not match_of(one.kind).chips:
        return one.round >= one.rounds
    before, there = played(books, one.id), entrants(books, one.id)
    left = chips.stacks_of(there, before, one.round + 1)
    return len(left) <= 1 or left == chips.stacks_of(there, before, one.round)


def go_on(books: Connection, now: float, one: Tournament, *, filled: bool) -> None:
    """Draw the next round once all matches of this one are over; behind the last one pay the prizes."""
    there = find(books, one.id)
    if (there.state, there.round) != ("running", one.round) or bouts(books, there):
        return
    if not is_last_round(books, there):
        _draw(books, now, there, filled=filled)
        return
    order = table_of(books, one.id)
    shares = due(books, one.id, order)
    if shares:
        legs = {ledger.purse(books, user): cubes for user, cubes in shares.items()}
        legs[ledger.account_id(books, "house", -one.id)] = -sum(shares.values())
        ledger.post(books, now, _payout(one.id), None, legs)
    rows = [(standing.rank, shares.get(standing.user, 0), one.id, standing.user) for standing in order]
    books.executemany("UPDATE entrant SET rank = ?, prize = ? WHERE tournament = ? AND user = ?", rows)
    books.execute("UPDATE tournament SET state = 'over', ended = ? WHERE id = ?", (now, one.id))
    _note(books, now, one.id, "over")


# --- the audit --------------------------------------------------------------------------------------------------------


def untrue(books: Connection) -> list[str]:
    """Return each thing about tournaments that is not what the books say, as a line.

    Of a game that this program does not know nobody can say how many games a match has had.
    """
    wrong: list[str] = []
    query = f"SELECT {_COLUMNS} FROM tournament ORDER BY id"
    for one in [struct_of(Tournament, row) for row in books.execute(query).fetchall()]:
        there = entrants(books, one.id)
        held = one.entry * len(there) if one.state in _LIVE else 0
        if fees(books, one.id) != held:
            wrong.append(f"the house holds {fees(books, one.id)} CUBES of tournament {one.id}, not {held}")
        if is_known(one.kind):
            wrong += _wrong_bouts(books, one)
        if one.state == "over":
            order = table_of(books, one.id)
            shares = prizes(one.entry * len(there), order)
            kept = {
                int(user): (rank, prize)
                for user, rank, prize in books.execute(
                    "SELECT user, rank, prize FROM entrant WHERE tournament = ?", (one.id,)
                )
            }
            if kept != {each.user: (each.rank, shares.get(each.user, 0)) for each in order}:
                wrong.append(f"the places of tournament {one.id} are not what its matches say")
            if paid(books, one.id) != shares:
                wrong.append(f"the prizes of tournament {one.id} are not what its places say")
    return wrong


def _wrong_bouts(books: Connection, one: Tournament) -> Iterable[str]:
    query = """
        SELECT round, board, place, since, began, is_played FROM bout
        WHERE tournament = ? AND ended IS NOT NULL ORDER BY round, board
    """
    for number, board, place, since, began, is_played in books.execute(query, (one.id,)).fetchall():
        query = "SELECT user, points FROM bout_player WHERE tournament = ? AND round = ? AND board = ? ORDER BY user"
        points = {int(user): int(each) for user, each in books.execute(query, (one.id, number, board))}
        then, bout = replace(one, round=number), Bout(board, place, since, began, tuple(points))
        where = f"tournament {one.id}, round {number}, table {board}"
        if is_played and result(books, then, bout) != points:
            yield f"{where}: the points are not what its game says"
        if match_of(one.kind).chips and (had := sum(stacks(books, then, points).values())) != sum(points.values()):
            yield f"{where}: {had} chips have become {sum(points.values())}"
