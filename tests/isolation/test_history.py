"""Games as the books tell them: written whole whoever dies, hidden while they run, and checked to the last CUBE."""

import hashlib
import re
import signal
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random

import msgspec
import pytest
from msgspec.structs import replace

from tests.engine.adapters import MAUMAU_ADAPTER, Adapter
from tests.engine.test_conformance import games
from tests.isolation.books import Place
from tests.isolation.former import former_file
from tests.isolation.processes import exit_code, fork
from tests.isolation.sessions import Hall, Hands, Session, clocks
from tests.isolation.steps import SteppedHands
from tests.isolation.stores import bank_in_file
from tests.isolation.test_tables import in_last_round, show_all_but_last, swaps, to_showdown
from tests.waiting import wait_until
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import Asked, PastGame, Proof
from yawc_poker.casino.bank.ledger import BankUnavailable
from yawc_poker.casino.bank.verify import Verification, verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import Instance, game_table
from yawc_poker.casino.store.books import BOOKS
from yawc_poker.casino.tables.table_context import TableRules
from yawc_poker.catalogues import words
from yawc_poker.engine import sealing
from yawc_poker.engine.events import DealtBy, Paid, Sealed
from yawc_poker.engine.game import EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.sealing import Deck, PlayerWord
from yawc_poker.engine.transcript import BATCH, MANY, MOST, Held, Transcript
from yawc_poker.engine.values import Clocks
from yawc_poker.games.maumau.game import RULES as MAUMAU
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.ui.narrative import RETOLD
from yawc_poker.registry.entry import table_context
from yawc_poker.session.menus.history import page
from yawc_poker.session.menus.proof import command
from yawc_poker.sysop.__main__ import main
from yawc_poker.words import LANGUAGES, Language

EN = words("en")


@pytest.fixture
def hall(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Hall]:
    """A hall, unless the test names other hands as a parameter."""
    with Hall(tmp_path / "data", hands=getattr(request, "param", Hands)) as hall:
        yield hall
        hall.money()
        hall.histories()


def only(hall: Hall) -> PastGame:
    (played,) = hall.histories()
    return played


def kinds(played: PastGame) -> list[tuple[int, str, str]]:
    return [(line.number, line.kind, line.name) for line in played.lines]


def whole_game(hall: Hall) -> PastGame:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    for person in people:
        assert person("show") == "ok"
    return only(hall)


def check(report: Verification, name: str) -> tuple[bool, str]:
    return next((one.ok, one.text) for one in report.checks if one.name == name)


# --- what the books tell ----------------------------------------------------------------------------------------------


def test_a_finished_game_is_told_with_everything(hall: Hall) -> None:
    played = whole_game(hall)
    game = played.game
    assert (game.table, game.kind, game.outcome, game.pot) == (0, "poker", "won", 60)
    assert game.closed is not None
    assert game.opened <= game.closed
    assert [(one.user, one.name, one.seat, one.ante, one.paid) for one in game.players] == [
        (1, "Anna", 0, 10, 20),
        (2, "Bert", 1, 10, 20),
        (3, "Carl", 2, 10, 20),
    ]
    assert game.winner is not None
    assert game.winner.got == 60
    assert [line.kind for line in played.lines] == ["deal"] + ["move"] * 12
    assert [line.amount for line in played.lines] == [0, 5, 5, 5, 0, 0, 0, 5, 5, 5, 0, 0, 0]
    assert msgspec.json.decode(played.lines[7].detail) == {"type": "Bet", "amount": 5, "see": True}
    assert all(game.opened <= line.at <= game.closed + 1 for line in played.lines)


def test_a_running_game_tells_nothing_that_is_hidden(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == "ok"
    to_showdown(*people)
    played = only(hall)
    table = hall.table
    assert table.transcript is not None
    assert (played.proof, played.game.outcome, played.game.closed) == (None, None, None)
    assert kinds(played)[0] == (0, "deal", "Anna")
    assert {kind for _, kind, _ in kinds(played)[1:]} == {"bet"}
    assert played.game.seal == table.transcript.seal
    assert table.transcript.deck is not None
    on_disk = (hall.data / BANK_FILE).read_bytes().decode("latin-1")
    assert table.transcript.deck.secret not in on_disk
    assert all(one.cards not in on_disk for one in table.transcript.held)
    assert verify(played, POKER).verdict == "unproven"


def test_the_seal_in_the_books_is_the_one_that_was_told(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == "ok"
    before = [entry.event.seal for entry in hall.table.log if isinstance(entry.event, Sealed)]
    (told,) = [entry.event for entry in hall.table.log if isinstance(entry.event, DealtBy)]
    game = only(hall).game
    assert before == [told.seal] == [game.seal]
    assert game.words == told.words
    assert [(word.seat, len(sealing.word_in(word.text))) for word in told.words] == [(0, 8), (1, 8)]


def test_the_lines_for_a_shell_say_seal_key_and_row(hall: Hall) -> None:
    played = whole_game(hall)
    assert played.proof is not None
    assert played.game.words is not None
    lines = page(played, 1, "1", EN).text.split("\n")
    key, row = (
        next(at for at, line in enumerate(lines) if line.startswith(start)) for start in ("  printf '", "  awk")
    )
    end = lines.index(".")
    assert shelled(lines[key : lines.index("", key)][:-1]) == lines[lines.index("", key) - 1].strip()
    assert shelled(lines[row : end + 1]) == played.game.seal
    openings = [line for line in lines[end:] if line.startswith("  printf")]
    assert openings
    for line in openings:
        position = int(line.split("'")[1].split()[0])
        assert lines[row + position].split() == [str(position), shelled([line])]


def shelled(lines: list[str]) -> str:
    said = subprocess.run(["sh", "-c", "\n".join(lines)], capture_output=True, text=True, check=True).stdout
    return said.split()[0]


@pytest.mark.parametrize("size", [1, 57, 58, 59, 60, 64, 118, 119, 500])
def test_the_one_liner_leaves_long_words_whole(size: int) -> None:
    """What Mau-Mau seals ends with a word longer than a line: what its piles are shuffled by."""
    text = f"9- J+ {'K- ' * 30}{'7' * size} 6e2a547465c3ce96189514d521113199"
    lines = list(command(text))
    said = subprocess.run(["sh", "-c", "\n".join(lines)], capture_output=True, text=True, check=True).stdout
    assert said.split()[0] == hashlib.sha256(text.encode()).hexdigest()
    assert max(map(len, lines)) < 78


def test_games_are_listed_newest_first_by_table_and_user(place: Place) -> None:
    bank = place.bank()
    for user in (1, 2, 3):
        bank.welcome(user, 100)
    first, _ = bank.open_game(0, "poker", {1: 10, 2: 10})
    bank.settle(first, {1: 1})
    second, _ = bank.open_game(1, "poker", {2: 10, 3: 10})
    bank.bet(second, 1, 3, 7)
    bank.settle(second, {})
    third, _ = bank.open_game(0, "poker", {1: 10, 3: 10})

    def numbers(asked: Asked) -> list[int]:
        return [game.number for game in bank.games(asked)]

    assert numbers(Asked()) == [third, second, first]
    assert numbers(Asked(limit=1)) == [third]
    assert numbers(Asked(before=third)) == [second, first]
    assert numbers(Asked(table=0)) == [third, first]
    assert numbers(Asked(user=3)) == [third, second]
    assert numbers(Asked(user=3, table=1, before=third, limit=5)) == [second]
    assert numbers(Asked(user=9)) == []
    lost = bank.games(Asked(table=1))[0]
    assert (lost.outcome, lost.pot, lost.winner) == ("lost", 27, None)
    assert [(one.user, one.name, one.seat, one.paid) for one in lost.players] == [(2, "", None, 10), (3, "", None, 17)]
    assert bank.game(99) is None
    unsealed = bank.game(first)
    assert unsealed is not None
    assert verify(unsealed, POKER).checks[0].text == "the game was not sealed"
    bank.close()


@pytest.mark.parametrize(("limit", "pieces"), [(2, 1), (3, 1), (7, 3), (8, 3), (20, 3)])
def test_a_long_history_is_read_in_pieces(
    place: Place, monkeypatch: pytest.MonkeyPatch, limit: int, pieces: int
) -> None:
    """Who lists the games of years holds up nobody who plays, and no server that gives up after some seconds."""
    monkeypatch.setattr("yawc_poker.casino.bank.bank._PIECE", 3)
    bank = place.bank()
    bank.welcome(1, 100)
    games = [bank.open_game(0, "poker", {1: 10})[0] for _ in range(8)]
    waits, reading = count(0), bank.store.reading
    monkeypatch.setattr(bank.store, "reading", lambda: reading() if next(waits) >= 0 else None)
    assert [game.number for game in bank.games(Asked(user=1, limit=limit))] == games[::-1][:limit]
    assert next(waits) == pieces
    bank.close()


def test_books_from_before_players_were_listed_know_who_played(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 3) as books:
        books.execute("INSERT INTO account (kind, ref, balance) VALUES ('user', 1, 20), ('user', 2, 0), ('pot', 1, 0)")
        books.execute("UPDATE account SET balance = -20 WHERE kind = 'mint'")
        for game, kind in ((1, "poker"), (2, "maumau"), (3, "poker")):
            books.execute("INSERT INTO game (table_no, kind, opened) VALUES (?, ?, 1)", (game, kind))
            detail = '{"master":0,"people":[[0,1,"Anna",10],[1,2,"Bert",10]],"options":{}}'
            books.execute("INSERT INTO deed VALUES (?, 0, 0, 'deal', 0, 1, ?, NULL)", (game, detail))
        books.execute("INSERT INTO txn (id, key, kind, game, at) VALUES (1, 'ante:1', 'ante', 1, 1)")
        books.execute("INSERT INTO entry SELECT 1, id, iif(kind = 'pot', 5, -5) FROM account WHERE ref = 1")
    bank = bank_in_file(path)
    assert [[game.number for game in bank.games(Asked(user=user))] for user in (1, 2, 3)] == [[3, 2, 1], [3, 2], []]
    assert [game.number for game in bank.games(Asked(user=1, table=2))] == [2]
    assert [game.number for game in bank.games(Asked(user=1, before=3, limit=1))] == [2]
    bank.close()


def test_books_from_before_there_was_a_history_go_on(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 1) as books:
        books.execute("INSERT INTO account (kind, ref) VALUES ('user', 1), ('pot', 0)")
        books.execute("INSERT INTO game (table_no, kind, opened, closed, outcome) VALUES (0, 'poker', 1, 2, 'won')")
    bank = bank_in_file(path)
    bank.welcome(1, 100)
    bank.settle(bank.open_game(0, "poker", {1: 10})[0], {1: 1})
    assert [(game.number, game.seal, game.players != ()) for game in bank.games()] == [
        (2, None, True),
        (1, None, False),
    ]
    assert bank.audit() == []
    for number in (1, 2):
        played = bank.game(number)
        assert played is not None
        assert "This game was not sealed." in page(played, 1, "1", EN).text
    bank.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE deed SET at = 0",
        "DELETE FROM deed",
        "UPDATE proof SET salt = ''",
        "DELETE FROM proof",
        "UPDATE game SET seal = 'x' WHERE closed IS NULL",
        "INSERT INTO proof SELECT id, '', '', '' FROM game WHERE closed IS NULL",
    ],
)
def test_history_is_written_once(hall: Hall, statement: str) -> None:
    people = hall.seat("Anna", "Bert")
    for _ in range(2):
        assert people[0]("start") == "ok"
        if hall.money().games == 1:
            to_showdown(*people)
            assert people[0]("show") == people[1]("show") == "ok"
            people.reverse()
    connection = sqlite3.connect(hall.data / BANK_FILE, isolation_level=None)
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(statement)
    connection.close()


# --- who dies over it -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", ["before settle", "in settle", "after settle"])
def test_whoever_closes_the_game_the_history_is_the_same(hall: Hall, step: str) -> None:
    people = in_last_round(hall, "Anna", "Bert", "Carl")
    show_all_but_last(people)
    people[2].doomed(step, "show")
    book = hall.table.transcript
    assert book is not None
    assert (only(hall).proof is not None) == (step == "after settle")
    people[1].doomed("before settle" if step != "after settle" else "after settle", "look after")
    assert people[0]("look after") == "ok"
    played = only(hall)
    assert book.deck is not None
    assert played.proof == Proof(book.deck.order, book.deck.secret, book.held)
    assert played.game.words == book.words
    assert played.actions[-len(book.actions) :] == book.actions
    assert verify(played, POKER).verdict == "proven"
    assert len(played.lines) == 13


def a_long_game(hall: Hall, actions: int) -> list[Session]:
    """Two bet until so many deeds wait in the table's value."""
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == "ok"
    assert people[0]("bet", 1) == people[1]("bet", 1) == "ok"
    swaps(*people)
    while waiting(hall) < actions:
        assert people[0]("bet", 1) == people[1]("bet", 1) == "ok"
    return people


def waiting(hall: Hall) -> int:
    return len(hall.table.transcript.actions) if hall.table.transcript is not None else 0


def test_a_long_game_goes_to_the_books_by_the_handful(hall: Hall) -> None:
    anna, bert = a_long_game(hall, BATCH - 2)
    most = 0
    for _ in range(12):
        assert anna("bet", 1) == bert("bet", 1) == "ok"
        most = max(most, waiting(hall))
    assert anna("see", 1) == bert("bet", 1) == anna("show") == bert("show") == "ok"
    assert most <= BATCH
    assert [line.number for line in only(hall).lines] == list(range(len(only(hall).lines)))


@pytest.mark.parametrize("step", ["before bet", "in bet", "after bet"])
def test_killed_with_a_handful_on_the_way_to_the_books(hall: Hall, step: str) -> None:
    anna, bert = a_long_game(hall, BATCH)
    anna.doomed(step, "bet", 3)
    assert bert("look after") == "ok"
    assert hall.phase() == "none"
    played = only(hall)
    lost = [(line.name, line.amount) for line in played.lines if line.kind == "bet"]
    assert lost == ([("Anna", 3)] if step == "after bet" else [])
    assert (played.lines[-1].kind, played.actions[-1].kind) == ("bet" if lost else "removed", "removed")
    report = verify(played, POKER)
    assert report.verdict == "proven"
    assert ("3 of them in a bet that the table never saw" in check(report, "stakes")[1]) == bool(lost)


def test_a_winner_is_told_what_the_pot_really_held(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == "ok"
    anna.doomed("after bet", "bet", 7)
    assert bert("look after") == "ok"
    paid = [entry for entry in hall.table.log if isinstance(entry.event, Paid)]
    assert [(entry.name, entry.event) for entry in paid] == [("Bert", Paid(1, 27))]
    assert hall.balances(1, 2) == [83, 117]


def test_who_wins_what_he_was_told_is_told_it_once(hall: Hall) -> None:
    whole_game(hall)
    assert not any(isinstance(entry.event, Paid) for entry in hall.table.log)


@pytest.mark.parametrize("step", ["before keep", "after keep"])
def test_killed_while_guests_fill_the_books(hall: Hall, step: str) -> None:
    """People come and go without a bet; the deeds go to the books when one sits down who finds many waiting."""
    anna, bert = hall.seat("Anna", "Bert")
    guest, other = hall.session(3, "Carl"), hall.session(4, "Dora")
    assert anna("start") == "ok"
    while waiting(hall) < BATCH:
        assert guest("sit") == guest("leave") == "ok"
    other.doomed(step, "sit")
    assert guest("sit") == "ok"
    assert waiting(hall) == 1
    assert guest("leave") == anna("leave") == "ok"
    assert hall.phase() == "none"
    assert bert("look after") == "ok"
    played = only(hall)
    assert [line.kind for line in played.lines] == ["deal"] + ["join", "leave"] * (BATCH // 2 + 1) + ["leave"]
    assert {line.name for line in played.lines} == {"Anna", "Carl"}
    assert verify(played, POKER).verdict == "proven"


def test_who_sits_down_while_the_bank_is_gone_waits(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    guest = hall.session(3, "Carl")
    assert anna("start") == "ok"
    while waiting(hall) < BATCH:
        assert guest("sit") == guest("leave") == "ok"
    with hall.bank_broken():
        assert guest("sit") == "BankUnavailable"
    assert waiting(hall) == BATCH
    assert guest("sit") == "ok"


@pytest.mark.parametrize("hall", [SteppedHands], indirect=True)
def test_a_game_that_no_table_knows_has_its_seal_and_its_people(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    anna.doomed("after open_game", "start")
    hall.pass_time(9)
    assert bert("look after") == bert("look after") == "ok"
    played = only(hall)
    assert (played.game.outcome, played.proof) == ("refunded", None)
    assert len(played.game.seal or "") == 64
    assert [(one.name, one.ante, one.got) for one in played.game.players] == [("Anna", 10, 10), ("Bert", 10, 10)]
    assert check(verify(played, POKER), "seal") == (
        False,
        "the game was broken off with its table: what was sealed is lost",
    )


def test_everything_killed_the_next_start_finds_the_order_in_the_old_segment(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == people[0]("bet", 5) == "ok"
    people[1].doomed("after bet", "bet", 5)
    people[0].kill()
    hall.found_again()
    played = only(hall)
    assert played.game.outcome == "refunded"
    assert [one.got for one in played.game.players] == [15, 15]
    assert kinds(played) == [(0, "deal", "Anna"), (1, "move", "Anna"), (2, "bet", "Bert")]
    assert verify(played, POKER).verdict == "proven"


def test_after_a_loss_of_power_the_seal_and_the_bets_are_left(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == people[0]("bet", 5) == "ok"
    for person in people:
        person.kill()
    bank = bank_in_file(hall.data / BANK_FILE)
    bank.settle_leftovers()  # as at a start that finds no segment
    bank.close()
    played = only(hall)
    assert (played.game.outcome, played.proof) == ("refunded", None)
    assert kinds(played) == [(0, "deal", "Anna"), (1, "bet", "Anna")]
    text = page(played, 1, "1", EN).text
    assert "Anna bets 5 CUBES." in text
    assert str(played.game.seal) in text
    assert "lost" in text
    passer_by = hall.session(7, "Passer")
    assert passer_by("look after all") == "ok"


def test_closing_down_tells_the_order_of_games_that_it_breaks_off(tmp_path: Path) -> None:
    with Hall(tmp_path / "data") as hall:
        people = hall.seat("Anna", "Bert")
        assert people[0]("start") == people[0]("bet", 5) == "ok"
        hall.foundation.close_down(lambda: None)
        for person in people:
            person.reap()
        played = only(hall)
        assert (played.game.outcome, len(played.actions)) == ("refunded", 2)
        assert verify(played, POKER).verdict == "proven"


def test_a_game_called_off_by_the_ledger_keeps_its_history(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == anna("bet", 5) == "ok"
    bank = bank_in_file(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)
    bank.refund(hall.header.game)
    bank.close()
    assert anna("leave") == "ok"
    played = only(hall)
    assert (played.game.outcome, [line.kind for line in played.lines]) == ("refunded", ["deal", "move", "leave"])
    assert verify(played, POKER).verdict == "proven"


# --- whatever is played -----------------------------------------------------------------------------------------------


class FullBank(Bank):
    """A bank without room for history."""

    def keep(self, game: int, transcript: Transcript) -> None:
        raise BankUnavailable("no room")


def play_anything(
    hall: Hall, adapter: Adapter[StateT, MoveT, EventT, OptionsT], bank: type[Bank], visit: int = 0
) -> int:
    """As many sessions in this process as it takes play a game to its end; return how many actions waited at most.

    Cards and moves are any, the same each time. Another one sits down, and leaves again, whenever `visit` actions wait,
    if the table has a seat for it.
    """
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    rng, game, tables = Random(4), adapter.game, []
    players = max(2, game.FEWEST)
    names = [f"Name {user}" for user in range(1, players + 2)]
    hall.foundation.segment.cells[0].game = game.KIND
    for user, name in enumerate(names, 1):
        instance = Instance(hall.data, hall.config, hall.foundation.segment)
        instance.enter("test")
        instance.bank = bank(instance.bank.store)
        instance.bank.welcome(user, 1000)
        instance.directory.claim_name(instance.notifier.index, user, name)
        rules = TableRules.of(game, adapter.codec, adapter.options, Clocks())
        tables.append(game_table(instance, table_context(instance, 0)._replace(chance=rng), rules))
    for user, name in enumerate(names[:players], 1):
        tables[user - 1].sit(user, name)
    tables[0].start()
    for table in tables[1:players]:
        table.tend()
    most, plain = 0, tables[0].rules.game
    while (state := tables[0].look().game) is not None:
        seat = plain.to_move(state)
        assert seat is not None
        choices = plain.legal_moves(state, seat)
        tables[seat].play(adapter.pick(choices[0], rng))
        book = tables[0].look().transcript
        waiting = 0 if book is None else len(book.actions)
        most = max(most, waiting)
        if visit and waiting == visit and players < game.SEATS:
            tables[players].sit(players + 1, names[players])
            tables[players].leave()
    return most


def first_report(hall: Hall, rules: Game[StateT, MoveT, EventT, OptionsT]) -> tuple[PastGame, Verification]:
    bank = bank_in_file(hall.data / BANK_FILE, hall.foundation.segment.bank_lock)
    played = bank.game(1)
    bank.close()
    assert played is not None
    return played, verify(played, rules)


@games
def test_any_game_at_a_table_is_proven(tmp_path: Path, adapter: Adapter[StateT, MoveT, EventT, OptionsT]) -> None:
    def play() -> None:
        assert play_anything(here, adapter, Bank) <= MANY
        played, report = first_report(here, adapter.game)
        assert len(played.actions) > 8
        assert report.verdict == "proven", report

    with Hall(tmp_path / "data") as here:
        assert exit_code(fork(play)) == 0


@pytest.mark.parametrize("visit", [1, BATCH, MANY])
@games
def test_who_comes_while_deeds_wait_is_written_down_with_them(
    tmp_path: Path, adapter: Adapter[StateT, MoveT, EventT, OptionsT], visit: int
) -> None:
    def play() -> None:
        play_anything(here, adapter, Bank, visit)
        played, report = first_report(here, adapter.game)
        assert [action.number for action in played.actions] == list(range(len(played.actions)))
        assert report.verdict == "proven", report

    with Hall(tmp_path / "data") as here:
        assert exit_code(fork(play)) == 0


def test_a_game_without_bets_goes_on_without_a_bank_and_its_value_stays_small(tmp_path: Path) -> None:
    def play() -> None:
        assert play_anything(here, MAUMAU_ADAPTER, FullBank) == MOST
        played, report = first_report(here, MAUMAU)
        assert len(played.actions) == 1 + MOST
        assert check(report, "moves") == (False, "the last deeds are missing")

    with Hall(tmp_path / "data") as here:
        assert exit_code(fork(play)) == 0


# --- the verdict ------------------------------------------------------------------------------------------------------


def swapped_cards(order: str) -> str:
    cards = order.split()
    return " ".join([cards[1], cards[0], *cards[2:]])


def altered(played: PastGame, **changes: object) -> PastGame:
    assert played.proof is not None
    return replace(played, proof=replace(played.proof, **changes))


FORGERIES: list[tuple[str, str, Callable[[PastGame], PastGame]]] = [
    ("seal", "", lambda played: altered(played, secret="0" * 64)),
    ("seal", "", lambda played: altered(played, order=swapped_cards(played.proof.order if played.proof else ""))),
    ("order", "each of the 40", lambda played: altered(played, order="A+ K+")),
    (
        "words",
        "others played",
        lambda played: replace(played, game=with_words(played, PlayerWord(0, "a"), PlayerWord(1, "b"))),
    ),
    ("words", "nobody knows", lambda played: replace(played, actions=())),
    ("hands", "cannot have held", lambda played: replace(played, game=with_words(played, *map(other_word, range(3))))),
    ("moves", "deed 5", lambda played: replace(played, actions=(*played.actions[:5], *played.actions[6:]))),
    ("moves", "missing", lambda played: replace(played, actions=played.actions[:-1])),
    ("hands", "seat 1 cannot", lambda played: altered(played, hands=(Held(0, 0, "A+ A* A# A- K+"),))),
    ("sealed", "the words are others", lambda played: with_frozen(played, hash="0" * 64)),
    ("sealed", "the words are others", lambda played: with_frozen(played, text="other")),
    ("stakes", "rules asked", lambda played: replace(played, game=with_stake(played))),
    ("payout", "but the rules say", lambda played: replace(played, game=with_other_winner(played))),
]


def with_frozen(played: PastGame, **changes: str) -> PastGame:
    assert played.begun is not None
    first, *others = played.begun.frozen
    return replace(played, begun=replace(played.begun, frozen=(replace(first, **changes), *others)))


def with_words(played: PastGame, *words: PlayerWord) -> object:
    return replace(played.game, words=words)


def other_word(seat: int) -> PlayerWord:
    return PlayerWord(seat, "other")


def with_stake(played: PastGame) -> object:
    first, *others = played.game.players
    return replace(played.game, players=(replace(first, paid=first.paid + 1), *others))


def with_other_winner(played: PastGame) -> object:
    players = [replace(one, got=0 if one.got else played.game.pot) for one in played.game.players[:2]]
    return replace(played.game, players=tuple(players))


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> PastGame:
    with Hall(tmp_path_factory.mktemp("honest") / "data") as hall:
        return whole_game(hall)


def test_an_honest_game_passes_every_check(honest: PastGame) -> None:
    report = verify(honest, POKER)
    assert [(one.name, one.ok) for one in report.checks] == [
        ("seal", True),
        ("order", True),
        ("words", True),
        ("sealed", True),
        ("moves", True),
        ("hands", True),
        ("stakes", True),
        ("payout", True),
    ]
    assert check(report, "order")[1] == "a whole deck, every card once"
    assert check(report, "stakes")[1] == "60 CUBES paid, as the ledger says"


def test_a_game_from_before_words_were_sealed_is_proven_as_it_was(honest: PastGame) -> None:
    former = replace(honest, begun=None)
    report = verify(former, POKER)
    assert report.verdict == "proven"
    assert "sealed" not in {one.name for one in report.checks}
    assert "What each player had sealed" in page(honest, 1, "1", EN).text
    assert "What each player had sealed" not in page(former, 1, "1", EN).text


def test_books_from_before_words_were_sealed_are_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "bank.sqlite"
    with former_file(path, BOOKS, 9) as connection:
        row = ("poker", 1.0, "0" * 64, '[[0,"anna"],[1,"bert"]]')
        connection.execute("INSERT INTO game (table_no, kind, opened, seal, words) VALUES (0, ?, ?, ?, ?)", row)
    books = bank_in_file(path)
    played = books.game(1)
    assert played is not None
    assert (played.begun, played.game.words) == (None, (PlayerWord(0, "anna"), PlayerWord(1, "bert")))
    assert books.withheld(1) == 0
    assert books.audit() == []
    books.close()


@pytest.mark.parametrize(("name", "text", "forge"), FORGERIES)
def test_a_forgery_is_found(honest: PastGame, name: str, text: str, forge: Callable[[PastGame], PastGame]) -> None:
    report = verify(forge(honest), POKER)
    assert report.verdict == "false"
    assert check(report, name)[0] is False
    assert text in check(report, name)[1]


# --- told to people ---------------------------------------------------------------------------------------------------


def test_the_story_of_all_seats_names_every_card_and_who_won(honest: PastGame) -> None:
    assert honest.proof is not None
    told = [one.text for one in RETOLD.story(honest.dealing(), honest.actions, range(5), EN)]
    hands = {held.seat: held.cards for held in honest.proof.hands}
    assert told[:3] == [f"{name} is dealt {hands[seat]}." for seat, name in enumerate(("Anna", "Bert", "Carl"))]
    kept = [f"{name} keeps all cards." for name in ("Anna", "Bert", "Carl")]
    assert told[6:10] == ["Round 2: change cards.", *kept]
    assert [f"({hands[seat]})" in line for seat, line in enumerate(told[-4:-1])] == [True] * 3
    assert " wins 60 CUBES with " in told[-1]


VERDICTS: dict[Language, tuple[str, str]] = {
    "en": ("agree.", "NOT"),
    "de": ("stimmen überein", "NICHT"),
    "nl": ("kloppen.", "NIET"),
    "fr": ("concordent.", "PAS"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_all_that_proves_the_game(honest: PastGame, language: Language) -> None:
    proven, refuted = VERDICTS[language]
    text = page(honest, 1, "1", words(language)).text
    assert honest.proof is not None
    assert f"  {honest.game.seal}\n" in text
    assert all(line in text for line in sealing.row(Deck(honest.proof.secret, honest.proof.order)))
    assert "sha256sum" in text
    assert proven in text
    assert max(map(len, text.split("\n"))) < 79
    forged = replace(honest, game=replace(honest.game, seal="0" * 64))
    assert refuted in page(forged, 1, "1", words(language)).text


# --- who reads hands --------------------------------------------------------------------------------------------------

CARD = re.compile(r"(?<![\w.])(?:10|[5-9JQKA])[-#*+](?![\w])")


def read_cards(played: PastGame, user: int) -> set[str]:
    """Every card that stands on a user's page."""
    return set(CARD.findall(page(played, user, "1", EN).text))


def salts(played: PastGame, user: int) -> set[str]:
    return set(re.findall(r"'\d+ \S+ ([0-9a-f]{32})'", page(played, user, "1", EN).text))


def held_by(played: PastGame, *seats: int) -> set[str]:
    assert played.proof is not None
    return {card for held in played.proof.hands if held.seat in seats for card in held.cards.split()}


def folded_game(hall: Hall) -> PastGame:
    """Carl changes cards, sees, and passes; Anna and Bert show."""
    people = hall.seat("Anna", "Bert", "Carl", "Dora")
    assert people[3]("leave") == "ok"
    assert people[0]("start") == "ok"
    assert people[3]("sit") == "ok"
    for person in people[:3]:
        assert person("bet", 5) == "ok"
    assert people[0]("swap") == "ok"
    assert people[1]("swap", 0) == "ok"
    assert people[2]("swap", 0, 1) == "ok"
    assert people[0]("see", 5) == people[1]("bet", 5) == people[2]("fold") == "ok"
    assert people[0]("show") == people[1]("show") == "ok"
    return only(hall)


def last_hand(played: PastGame, seat: int) -> set[str]:
    assert played.proof is not None
    return set([held.cards for held in played.proof.hands if held.seat == seat][-1].split())


def test_who_folded_is_read_by_nobody_else(hall: Hall) -> None:
    played = folded_game(hall)
    assert verify(played, POKER).verdict == "proven"
    shown = last_hand(played, 0) | last_hand(played, 1)
    for user, seats in ((1, (0,)), (2, (1,)), (3, (2,)), (4, ())):
        assert read_cards(played, user) == held_by(played, *seats) | shown, user
        assert len(salts(played, user)) == len(held_by(played, *seats) | shown), user
    assert held_by(played, 2) - shown
    assert held_by(played, 1) - shown, "what Bert gave away is his alone"


def test_who_won_unseen_is_read_by_nobody_else(hall: Hall) -> None:
    people = hall.seat("Anna", "Bert")
    assert people[0]("start") == people[0]("bet", 5) == people[1]("leave") == "ok"
    played = only(hall)
    assert played.game.winner is not None
    assert (read_cards(played, 1), read_cards(played, 2)) == (held_by(played, 0), held_by(played, 1))
    assert len(salts(played, 2)) == 5


def test_secret_and_order_stand_on_nobody_s_page_of_poker(honest: PastGame) -> None:
    assert honest.proof is not None
    for user in (1, 2, 3, 4):
        text = page(honest, user, "1", EN).text
        assert honest.proof.secret not in text
        assert honest.proof.order not in text


# --- games that were sealed the former way ----------------------------------------------------------------------------

FORMER_SALT = "07" * 16


def into_former_books(source: Path, target: Path, order: str) -> None:
    """Copy a BBS's only game into books from before there were words, sealed in the order in which it was dealt."""
    with closing(sqlite3.connect(source)) as new, former_file(target, BOOKS, 4) as books:
        for row in new.execute("SELECT id, kind, ref FROM account"):
            books.execute("INSERT OR IGNORE INTO account (id, kind, ref) VALUES (?, ?, ?)", row)
        ((number, table, kind, opened, closed, outcome),) = new.execute(
            "SELECT id, table_no, kind, opened, closed, outcome FROM game"
        )
        seal = hashlib.sha256(f"{order} {FORMER_SALT}".encode()).hexdigest()
        books.execute("INSERT INTO game VALUES (?, ?, ?, ?, NULL, NULL, ?)", (number, table, kind, opened, seal))
        for txn in new.execute("SELECT * FROM txn ORDER BY id").fetchall():
            books.execute("INSERT INTO txn VALUES (?, ?, ?, ?, ?)", txn)
            for entry in new.execute("SELECT * FROM entry WHERE txn = ? ORDER BY amount DESC", txn[:1]):
                books.execute("INSERT INTO entry VALUES (?, ?, ?)", entry)
        books.executemany("INSERT INTO deed VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new.execute("SELECT * FROM deed"))
        books.executemany("INSERT INTO player VALUES (?, ?)", new.execute("SELECT * FROM player"))
        books.execute("UPDATE game SET closed = ?, outcome = ?", (closed, outcome))
        ((hands,),) = new.execute("SELECT hands FROM proof")
        books.execute("INSERT INTO proof VALUES (?, ?, ?, ?)", (number, order, FORMER_SALT, hands))


def test_a_game_sealed_the_former_way_is_shown_and_proven_as_before(hall: Hall, tmp_path: Path) -> None:
    now = folded_game(hall)
    path = tmp_path / "former.sqlite"
    into_former_books(hall.data / BANK_FILE, path, now.dealing().order)
    bank = bank_in_file(path)
    played = bank.game(1)
    assert bank.audit() == []
    bank.close()
    assert played is not None
    assert played.game.words is None
    report = verify(played, POKER)
    assert (report.verdict, [one.name for one in report.checks]) == (
        "proven",
        ["seal", "order", "moves", "hands", "stakes", "payout"],
    )
    text = page(played, 4, "1", EN).text
    assert text.count(" is dealt ") == 3
    shell = re.search(r"^ +printf .*sha256sum$", text, re.MULTILINE | re.DOTALL)
    assert shell is not None
    assert shelled([shell[0]]) == played.game.seal
    assert verify(altered(played, secret="0"), POKER).verdict == "false"


def test_bets_of_a_running_game_are_bets_and_nothing_more(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    assert anna("start") == anna("bet", 5) == "ok"
    assert main(["--data", str(hall.data), "history", "1"]) == 0
    told = capsys.readouterr().out
    assert "bets 5" in told
    assert "never saw" not in told


def test_who_was_taken_out_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Hall(tmp_path / "data", clocks(turn=0.05)) as hall:
        anna, bert = hall.seat("Anna", "Bert")
        assert anna("start") == "ok"
        wait_until(lambda: bert("look after") == "ok" and hall.phase() == "none", "Anna's minute to be over")
        assert main(["--data", str(hall.data), "history", "1"]) == 0
    told = capsys.readouterr().out
    assert "let the clock run out" in told
    assert "Anna let the time pass and is out of the game." in told
