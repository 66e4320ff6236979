"""`yawcctl history`, `verify` and `audit`: past games, the proof that their cards were fixed before the deal, and the
check that the bank's books are sound.

Reads the bank itself, so it works without a running BBS, too. The books have nothing hidden of a running game.
"""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from typing import Final

import msgspec
from msgspec.structs import asdict, replace

from yawc_poker.announcing import announced
from yawc_poker.casino.bank.audit import Figures
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import Asked, GameLine, PastGame, PastPlayer, Summary, place_of
from yawc_poker.casino.bank.verify import Check, Proof, Verdict
from yawc_poker.casino.instance.databases import marked
from yawc_poker.casino.instance.instance import tables_called
from yawc_poker.catalogues import words
from yawc_poker.control.client import Failed
from yawc_poker.control.protocol import FAILED, REFUSED
from yawc_poker.engine import sealing
from yawc_poker.engine.transcript import HANDS
from yawc_poker.registry.entry import Entry, UnknownGame
from yawc_poker.registry.stories import Results
from yawc_poker.sysop.command import Command, columns, counting, moment, print_rows, width
from yawc_poker.sysop.status import game_of
from yawc_poker.table_ui.narrative import Standing
from yawc_poker.terminal.widgets import wrap

GAMES: Final = ">GAME TABLE BEGAN >POT ENDED PLAYERS"
"""Header, as `columns` takes it."""
EXIT_STATUS: Final[dict[Verdict, int]] = {"proven": 0, "false": 1, "unproven": 2}
_NOTHING = (b"null", b"false", b"[]")
_ACTIONS: dict[str, str] = {
    "deal": "deals",
    "time": "let the clock run out",
    "join": "sits down",
    "leave": "leaves the table",
    "removed": "was removed from the table",
    "abandoned": "all players are gone",
    "away": "is gone; the seat is kept",
    "stand_in": "stands in",
    "back": "comes back",
    "hint": "takes hints",
}


def _bank(chosen: argparse.Namespace) -> closing[Bank]:
    return closing(marked(chosen.data).bank_to_look_at())


# --- history ----------------------------------------------------------------------------------------------------------


def _history_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("game", metavar="GAME", nargs="?", type=counting, help="number of one game")
    command.add_argument("--table", metavar="TABLE", help="games at this table only, as it is called: 'poker 2'")
    command.add_argument("--user", metavar="NAME", help="games that this user played only")
    command.add_argument("--before", metavar="GAME", type=counting, help="games before this one only")
    command.add_argument("--limit", metavar="N", type=counting, default=20, help="so many at most (20)")


def run_history(chosen: argparse.Namespace) -> int:
    """Print one game, or a list of them, the newest last. Raise `StoreError`, `Failed`."""
    if chosen.game is not None:
        return _one(chosen)
    user = None
    if chosen.user is not None:
        with closing(marked(chosen.data).accounts_to_look_at()) as accounts:
            found = accounts.find(chosen.user)
        if found is None:
            raise Failed(REFUSED, f"there is no user {chosen.user!r}")
        user = found.id
    called = tables_called(chosen.data)
    if chosen.table is not None and chosen.table.lower() not in called:
        there = ", ".join(called) or "none: start the BBS once"
        raise Failed(REFUSED, f"there is no table {chosen.table!r}; there are {there}")
    table = None if chosen.table is None else called.index(chosen.table.lower())
    with _bank(chosen) as bank:
        games = bank.games(Asked(table, user, chosen.before, chosen.limit))[::-1]
    rows = [_listed(game, called) for game in games]
    return print_rows(chosen, rows, lambda rows: columns(GAMES, map(_row, rows), 5, 4))


class _Listed(Summary, frozen=True):
    """A game in a list; the table's number counts from 1, seats in the actions stay as they were stored, from 0."""

    table_name: str = ""


def _listed(game: Summary, called: Sequence[str]) -> _Listed:
    name = called[game.table] if game.table < len(called) else ""
    told = place_of(game.kind, game.table, name)
    return _Listed(**asdict(replace(game, table=game.table + 1)), table_name=told)


def _row(game: _Listed) -> tuple[object, ...]:
    players = ", ".join(map(_name, game.players))
    began = moment(game.opened, "%Y-%m-%d %H:%M %Z")
    return game.number, game.table_name, began, game.pot, _ended(game), players


def _name(player: PastPlayer) -> str:
    return player.name or f"user {player.user}"


def _ended(game: Summary) -> str:
    match game.outcome:
        case None:
            return "runs"
        case "won":
            return f"{' and '.join(map(_name, game.winners)) or 'somebody'} won"
        case "lost":
            return "pot lost" if game.pot else "over"
        case "refunded":
            return "called off"


def _game(chosen: argparse.Namespace) -> PastGame:
    with _bank(chosen) as bank:
        played = bank.game(chosen.game)
    if played is None:
        raise Failed(FAILED, f"there is no game {chosen.game}")
    return played


def _one(chosen: argparse.Namespace) -> int:
    played = _game(chosen)
    game = _listed(played.game, tables_called(chosen.data))
    whole = replace(played, game=game)
    row = _Whole(**asdict(whole), standings=_results(played).standings, hands_cut=_is_cut(played))
    return print_rows(chosen, [row], lambda _: _told(played, game.table_name))


class _Whole(PastGame, frozen=True):
    """A game as JSON."""

    standings: tuple[Standing, ...]
    """Of a game of points or places that is over; of one that was broken off, the rest is not counted."""
    hands_cut: bool
    """Whether there were more hands than are kept; the missing ones follow from the order."""


def _entry(kind: str) -> Entry | None:
    """Return a game by its kind; None if this program does not have it."""
    with suppress(UnknownGame):
        return game_of(kind)
    return None


def _unknown(kind: str) -> Iterator[str]:
    """Yield a line that tells of a game that this program does not have."""
    try:
        game_of(kind)
    except UnknownGame as error:
        yield f"        {error}: moves are printed as they were stored"


def _results(played: PastGame) -> Results:
    game = _entry(played.game.kind)
    return Results("", ()) if game is None else game.results(played)


def _is_cut(played: PastGame) -> bool:
    return played.proof is not None and len(played.proof.hands) >= HANDS


def _told(played: PastGame, table: str) -> Iterator[str]:
    """Yield the lines that tell a whole game."""
    game = played.game
    yield f"Game {game.number}, {table}"
    yield from _unknown(game.kind)
    yield f"began   {moment(game.opened)}"
    if game.closed is not None:
        stakes = f", {game.pot} CUBES" if game.pot else ""
        yield f"ended   {moment(game.closed)}, {_ended(game)}{stakes}"
    yield ""
    if any(one.paid or one.got for one in game.players):
        yield from columns(">SEAT NAME >ANTE >PAID >GOT DEALT", [_player(one, played) for one in game.players], 1)
    else:
        people = [(seat, name, cards) for seat, name, *_, cards in (_player(one, played) for one in game.players)]
        yield from columns(">SEAT NAME DEALT", people, 1)
    yield ""
    yield from _points(played)
    yield from columns(">NO TIME WHO WHAT CARDS", _rows(played), 3)
    if _is_cut(played) and played.proof is not None:
        yield f"CARDS are kept of the first {HANDS} hands only, up to number {played.proof.hands[-1].number};"
        yield "the later ones follow from the order, and verify goes by them."
    yield ""
    yield f"seal    {game.seal or 'none'}"
    if played.proof is not None:
        yield from _sealed(played.proof.order, played.proof.secret, game)


def _sealed(order: str, secret: str, game: Summary) -> Iterator[str]:
    """Yield the sealed data, and a shell command that prints the seal."""
    if game.words is None:
        yield f"order   {order}"
        yield f"salt    {secret}"
        yield "This gives the seal:"
        yield f"printf %s '{order} {secret}' | sha256sum"
        return
    cards, key = order.split(), sealing.key(game.seal or "", game.words)
    yield f"secret  {secret}"
    yield f"order   {order}"
    yield "words   " + ", ".join(f"{word.seat + 1} {word.text or '(none)'}" for word in game.words)
    yield f"key     {key}"
    yield f"dealt   {' '.join(map(str, sealing.permutation(key, len(cards))))}"
    yield "This gives the seal, by salts, row and all (docs/fairness.md):"
    loop = 'i=$((i+1)); s=$(printf %s "$k $i" | sha256sum | cut -c1-32); printf %s "$i $c $s" | sha256sum | cut -c1-64'
    yield f"k={secret}; i=0; for c in {' '.join(map(repr, cards))}; do {loop}; done | sha256sum"


def _player(one: PastPlayer, played: PastGame) -> tuple[object, ...]:
    dealt = {held.seat: held.cards for held in (played.proof.hands if played.proof else ()) if held.number == 0}
    seat, cards = ("-", "") if one.seat is None else (one.seat + 1, dealt.get(one.seat, ""))
    return seat, _name(one), one.ante, one.paid, one.got, cards


def _points(played: PastGame) -> Iterator[str]:
    """Yield the players' results, of a game of points or places."""
    found = _results(played)
    names = {player.seat: _name(player) for player in played.game.players}
    rows = [
        (one.seat + 1, names.get(one.seat, ""), one.total, " ".join(map(str, one.rounds)), _verdict(one))
        for one in found.standings
    ]
    if rows:
        yield from columns(f">SEAT NAME >{found.unit} ROUNDS RESULT", rows, 1)
        yield ""


def _verdict(one: Standing) -> str:
    told = (("left", one.left), ("lost", one.lost), ("won", one.won))
    return ", ".join(word for word, is_so in told if is_so)


def _rows(played: PastGame) -> Iterator[tuple[object, ...]]:
    """Yield a row for each action, and below it its consequences by the rules."""
    known = _entry(played.game.kind)
    texts = {} if known is None else known.consequences(played, words("en"))
    for line in played.lines:
        yield _line(line, played.game)
        for text in texts.pop(line.number, []):
            yield "", "", "", text, ""


def _line(line: GameLine, game: Summary) -> tuple[object, ...]:
    return line.number, moment(line.at, "%H:%M:%S"), line.name, _action(line, game), line.cards


def _action(line: GameLine, game: Summary) -> str:
    """Return an action in words. Whether a table never saw a bet is known only of a game played to its end."""
    if line.kind == "bet":
        return f"bets {line.amount}" + (", which the table never saw" if game.outcome in {"won", "lost"} else "")
    if line.kind == "debt":
        return f"pays {line.amount} in the end"
    if line.kind == "join" and b'"away":true' in bytes(line.detail):
        return "is away and looks on"
    if line.kind != "move":
        return _ACTIONS[line.kind]
    return _move(line.detail, game.kind)


def _move(detail: msgspec.Raw, kind: str) -> str:
    """Return a move as its game calls it, or as it was kept if this program cannot read it."""
    try:
        return game_of(kind).describe_move(bytes(detail).decode())
    except (UnknownGame, msgspec.DecodeError):
        return _any_move(detail)


def _any_move(detail: msgspec.Raw) -> str:
    """Return a move of any game as it was stored: its kind, then its fields."""
    fields = msgspec.json.decode(detail, type=dict[str, msgspec.Raw])
    kind = bytes(fields.pop("type", b"?")).decode().strip('"').lower()
    more = (f"{name} {bytes(value).decode()}" for name, value in fields.items() if bytes(value) not in _NOTHING)
    return " ".join([kind, *more])


# --- verify -----------------------------------------------------------------------------------------------------------


class ProofReport(msgspec.Struct, frozen=True):
    """The checks of what an extra has in the books."""

    verdict: Verdict
    checks: list[Check]


def _game_or_proof(text: str) -> int | Proof:
    return next((proof for proof in announced("proofs", Proof) if proof.word == text), None) or counting(text)


def _verify_arguments(command: argparse.ArgumentParser) -> None:
    text = "number of the game" + "".join(f", or {proof.word}: {proof.text}" for proof in announced("proofs", Proof))
    command.add_argument("game", metavar="GAME", type=_game_or_proof, help=text)


def _verify_added(chosen: argparse.Namespace, proof: Proof) -> int:
    with _bank(chosen) as bank, closing(bank.store.copy()) as books:
        found = proof.checks(books)
    verdict: Verdict = "unproven" if not found else "proven" if all(check.ok for check in found) else "false"
    last = f"{proof.subject} are {verdict}." if found else proof.nothing
    print_rows(chosen, [ProofReport(verdict, found)], lambda _: [*_checks(found), last])
    return EXIT_STATUS[verdict]


def run_verify(chosen: argparse.Namespace) -> int:
    """Print the checks; return 1 if one failed, 2 if there is nothing to check. Raise `StoreError`, `Failed`."""
    if isinstance(chosen.game, Proof):
        return _verify_added(chosen, chosen.game)
    played = _game(chosen)
    try:
        report = game_of(played.game.kind).verify(played)
    except UnknownGame as error:
        raise Failed(FAILED, f"{error}: game {chosen.game} cannot be checked") from None
    last = f"Game {report.game} is {report.verdict}."
    print_rows(chosen, [report], lambda _: [*_checks(report.checks), last])
    return EXIT_STATUS[report.verdict]


def _checks(checks: Sequence[Check]) -> Iterator[str]:
    """Yield checks, each in lines that fit the terminal."""
    for check in checks:
        head = f"{check.name:9}{'ok' if check.ok else 'FALSE':7}"
        for number, text in enumerate(wrap(check.text, width() - len(head))):
            yield f"{head if number == 0 else ' ' * len(head)}{text}"


# --- audit ------------------------------------------------------------------------------------------------------------


class AuditReport(msgspec.Struct, frozen=True):
    """The output of `--json`."""

    clean: bool
    problems: list[str]
    figures: Figures | None
    """None if the books are too damaged to count."""


def run_audit(chosen: argparse.Namespace) -> int:
    """Print figures and problems; return 1 if there are any. Raise `StoreError`."""
    with _bank(chosen) as bank:
        figures, problems = bank.inspect()
    print_rows(chosen, [AuditReport(not problems, problems, figures)], lambda _: _audited(figures, problems))
    return 1 if problems else 0


def _audited(figures: Figures | None, problems: list[str]) -> Iterator[str]:
    for name, number in ({} if figures is None else asdict(figures)).items():
        yield f"{name.replace('_', ' '):14}{number:>16}"
    yield from problems or ["clean"]


def commands() -> list[Command]:
    """Return the subcommands."""
    return [
        Command(
            "history",
            run_history,
            "show the games that were played, or one of them with every move, bet and payout",
            ("history --table 1", "history --user Anna --limit 100", "history 17", "history 17 --json"),
            _history_arguments,
        ),
        Command(
            "verify",
            run_verify,
            "prove that a game's cards were fixed before the deal, and that all went by the rules and the ledger",
            ("verify 17", "verify 17 --json", *(f"verify {proof.word}" for proof in announced("proofs", Proof))),
            _verify_arguments,
        ),
        Command(
            "audit", run_audit, "prove that the bank's books are sound; the BBS may run", ("audit", "audit --json")
        ),
    ]
