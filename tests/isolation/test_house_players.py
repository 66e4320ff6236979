"""House players at a real table: their seats, their CUBES, and whether their moves are their programs'."""

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from msgspec import Struct

from tests.isolation.books import Place
from tests.isolation.sessions import CONFIG, Hall, Hands, Session, told
from tests.isolation.stores import bank_in_file, with_clock
from tests.isolation.test_history import check
from tests.waiting import wait_until
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.ledger import NotEnough
from yawc_poker.casino.bank.programs import Program
from yawc_poker.casino.bank.verify import sample, verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import game_table
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.config import House
from yawc_poker.engine import transcript
from yawc_poker.engine.company import must_go
from yawc_poker.engine.events import HouseBroke
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.house import HOUSE_USERS, LEVELS, HousePlayer, Level, SealedChance, chance_of
from yawc_poker.engine.kept import Keeps
from yawc_poker.engine.transcript import Action, Dealt
from yawc_poker.engine.values import seat_of
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.game import POKER as POKER_GAME
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Bet, Fold, MayBet, MayShow, MaySwap, Move, Show, State, Swap, View
from yawc_poker.ipc.alarms import Alarms
from yawc_poker.session.house.house_player import HouseSession
from yawc_poker.session.house.slots import FILE, ThinkSlots
from yawc_poker.sysop.__main__ import main
from yawc_poker.table_ui.definition import plain

ADA, BOB = HOUSE_USERS[0], HOUSE_USERS[1]


def choose(state: State, seat: int, level: Level, chance: SealedChance) -> Move:
    """Return a move that depends on all that it may depend on, and ends the game soon."""
    match rules.legal_moves(state, seat)[0]:
        case MayBet(low, high, see):
            return Bet(min(high, low + chance.below(3) + LEVELS.index(level)), see=see)
        case MaySwap(most):
            return Swap(tuple(range(chance.below(most + 1))))
        case MayShow():
            return Show()
    return Fold()


PROGRAM: Program[State, Move] = Program(1, choose)


class HouseHands(Hands):
    """A session that may be a house player's."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        table, bank = self._table, self._instance.bank
        levels: dict[str, Level] = {level: level for level in LEVELS}
        return super()._orders(rest) | {
            "invite": lambda: table.invite(levels[rest[0]]),
            "dismiss": table.dismiss,
            "broke": table.broke,
            "join": lambda: table.sit(self._user, self._name, program=f"{rest[0]} 1"),
            "fill": lambda: bank.fill_purse(self._user, int(rest[0]), 10**6),
            "choose": self._choose,
            "choose late": lambda: self._choose(rest[0]),
        }

    def _choose(self, meanwhile: str = "") -> None:
        """Make the program's move, perhaps after something that happens while it thinks."""
        value = self._table.look()
        seat = seat_of(value, self.token)
        who = None if seat is None else value.seats[seat]
        assert seat is not None
        assert who is not None
        if value.game is None or value.transcript is None:
            raise IllegalMove("no_game")
        chance = chance_of(transcript.seed(value.transcript), seat, value.action)
        level = next(level for level in LEVELS if who.program.startswith(level))
        assert isinstance(value.game, State)
        move = choose(value.game, seat, level, chance)
        if meanwhile:
            self._orders(())[meanwhile]()
        self._table.play(move, after=value)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=HouseHands) as hall:
        yield hall


def joined(hall: Hall, by: Session, user: int, name: str, level: Level = "normal") -> Session:
    """Return a house player whom somebody has asked to join."""
    assert by("invite", level) == "ok"
    player = hall.session(user, name)
    assert player("join", level) == "ok"
    return player


def in_books(hall: Hall) -> Bank:
    return bank_in_file(hall.data / BANK_FILE, look_only=True)


def the_game(hall: Hall) -> PastGame:
    bank = in_books(hall)
    try:
        assert bank.audit() == []
        found = bank.game(1)
    finally:
        bank.close()
    assert found is not None
    return found


# --- seats ------------------------------------------------------------------------------------------------------------


def test_what_a_table_waits_for_is_read_without_its_value(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    cell = hall.foundation.segment.cells[0]
    assert (cell.header().invited, anna("invite", "easy"), cell.header().invited) == (0, "ok", 1)
    assert anna("dismiss") == "ok"
    assert cell.header().invited == 0


def test_only_who_is_invited_sits_down(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    ada, bob = hall.session(ADA, "Ada*"), hall.session(BOB, "Bob*")
    assert ada("join", "normal") == "not_invited"
    assert anna("invite", "normal") == "ok"
    assert ada("join", "hard") == "not_invited"
    assert (ada("join", "normal"), bob("join", "normal")) == ("ok", "not_invited")
    assert hall.names() == ["Anna", "Ada*"]


def test_a_person_gets_a_house_player_s_seat(hall: Hall) -> None:
    anna, *others = hall.seat("Anna", "Bert", "Carl")
    ada, bob = joined(hall, anna, ADA, "Ada*"), joined(hall, anna, BOB, "Bob*")
    dora = hall.session(4, "Dora")
    commits = hall.commits
    assert dora("sit") == dora("sit") == "house_yields"
    assert hall.commits == commits + 1, "it is sent away once"
    assert "sit" in bob("read")
    assert must_go(hall.table, bob.token)
    assert not must_go(hall.table, ada.token)
    assert bob("leave") == dora("sit") == "ok"
    assert hall.names() == ["Anna", "Bert", "Carl", "Ada*", "Dora"]
    eve = hall.session(5, "Eve")
    assert others[0]("dismiss") == "ok"
    assert eve("sit") == "house_yields", "one goes already"


def test_a_dead_house_player_is_purged_like_anybody(hall: Hall) -> None:
    anna, _ = hall.seat("Anna", "Bert")
    ada = joined(hall, anna, ADA, "Ada*")
    ada.kill()
    wait_until(lambda: anna("look after") == "ok" and hall.names() == ["Anna", "Bert"])
    assert hall.removed() == ["Ada*"]


# --- moves ------------------------------------------------------------------------------------------------------------


def played_out(hall: Hall) -> PastGame:
    """Return a game of one person and two house players, played to its end."""
    (anna,) = hall.seat("Anna")
    players = {"Ada*": joined(hall, anna, ADA, "Ada*", "hard"), "Bob*": joined(hall, anna, BOB, "Bob*", "easy")}
    assert anna("start") == "ok"
    while hall.phase() != "none":
        name = hall.current()
        if name in players:
            assert players[name]("choose") == "ok"
        else:
            assert "ok" in (anna("bet", 12), anna("swap"), anna("show"), anna("fold"))
    return the_game(hall)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> PastGame:
    with Hall(tmp_path_factory.mktemp("played") / "data", hands=HouseHands) as hall:
        return played_out(hall)


def house_moves(played: PastGame) -> list[Action]:
    return [action for action in played.actions if action.kind == "move" and action.user in {ADA, BOB}]


def test_the_choices_of_house_players_are_repeated(played: PastGame) -> None:
    dealt = msgspec.json.decode(played.actions[0].detail, type=Dealt)
    assert [(person.name, person.program) for person in dealt.people] == [
        ("Anna", ""),
        ("Ada*", "hard 1"),
        ("Bob*", "easy 1"),
    ]
    report = verify(played, POKER, PROGRAM)
    assert report.verdict == "proven"
    told = f"{len(house_moves(played))} moves of 2 house players, each by its program"
    assert check(report, "programs") == (True, told)
    assert "programs" not in [one.name for one in verify(played, POKER, PROGRAM, repeat=False).checks]


def test_another_choice_is_found(played: PastGame) -> None:
    """A house that had its players move as it likes is found out."""
    clever: Program[State, Move] = Program(1, lambda state, seat, level, chance: choose(state, seat, "normal", chance))
    report = verify(played, POKER, clever)
    wrong = house_moves(played)[0]
    assert report.verdict == "false"
    assert check(report, "programs") == (
        False,
        f"{len(house_moves(played))} moves of 2 house players, "
        f"but deed {wrong.number} of seat {wrong.seat + 1} is not its program's",
    )


def test_a_part_of_the_choices_is_repeated_in_an_order_of_no_pattern(played: PastGame) -> None:
    asked: list[int] = []

    def noted(state: State, seat: int, level: Level, chance: SealedChance) -> Move:
        asked.append(seat)
        return choose(state, seat, level, chance)

    found = sample(played, POKER, Program(1, noted))
    assert asked == [], "nothing is repeated before it is asked for"
    assert [next(found), len(asked)] == [True, 1]
    assert all(found)
    moves = [action.seat for action in house_moves(played)]
    assert sorted(asked) == sorted(moves)
    assert asked != moves
    wrong: Program[State, Move] = Program(1, lambda state, seat, level, chance: Fold())
    assert not any(sample(played, POKER, wrong))
    assert list(sample(played, POKER, Program(2, choose))) == list(sample(played, POKER, None)) == []


def test_a_choice_depends_on_the_sealed_seed(played: PastGame) -> None:
    rest: Program[State, Move] = Program(
        1, lambda state, seat, level, chance: choose(state, seat, level, SealedChance("another"))
    )
    assert verify(played, POKER, rest).verdict == "false"


@pytest.mark.parametrize("program", [None, Program(2, choose)])
def test_what_another_version_chose_is_not_repeated_and_no_failure(
    played: PastGame, program: Program[State, Move] | None
) -> None:
    report = verify(played, POKER, program)
    assert report.verdict == "proven"
    ok, told = check(report, "programs")
    assert ok
    assert told.endswith(", by another version of the program: not repeated")


def test_games_without_house_players_have_no_such_check(hall: Hall) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    assert anna("start") == anna("bet", 5) == bert("leave") == "ok"
    assert verify(the_game(hall), POKER, PROGRAM).verdict == "proven"
    assert "programs" not in [one.name for one in verify(the_game(hall), POKER, PROGRAM).checks]


def test_a_sysop_reads_the_name_of_each_check(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    played_out(hall)
    main(["--data", str(hall.data), "verify", "1"])
    heads = [line.split()[:2] for line in capsys.readouterr().out.splitlines() if line[:1] not in {"", " "}]
    checks = [name for name, found in heads if found in {"ok", "FALSE"}]
    assert checks == ["seal", "order", "words", "sealed", "moves", "programs", "hands", "stakes", "payout"]


def test_a_house_player_thinks_anew_if_what_it_owns_has_changed(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    ada = joined(hall, anna, ADA, "Ada*")
    assert anna("start") == anna("bet", 5) == "ok"
    assert ada("choose late", "earn") == "changed"
    assert ada("choose") == "ok"
    while hall.phase() != "none":
        assert "ok" in (anna("swap"), anna("bet", 12), anna("show"), anna("fold"), ada("choose"))
    report = verify(the_game(hall), POKER, PROGRAM)
    assert check(report, "programs")[0]


# --- CUBES ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def bank(place: Place) -> Iterator[Bank]:
    bank = Bank(with_clock(place.open(), lambda: CLOCK[0]))
    CLOCK[0] = 86400.0 * 20000
    yield bank
    assert bank.audit() == []
    bank.close()


CLOCK = [0.0]


def test_a_purse_is_filled_up_from_the_house_and_what_it_lacks_is_made(bank: Bank) -> None:
    bank.welcome(1, 100)
    bank.open_game(0, "poker", {1: 30})
    bank.settle(1, {})
    assert bank.figures().house == 30
    assert bank.fill_purse(ADA, 100, 1000) == 100
    figures = bank.figures()
    assert (figures.house, figures.cash, figures.minted) == (100, 70, 170)
    assert bank.fill_purse(ADA, 100, 1000) == bank.fill_purse(ADA, 50, 1000) == bank.balance(ADA) == 100


def test_a_day_has_so_many_cubes_for_all_of_them(bank: Bank) -> None:
    assert bank.fill_purse(ADA, 100, 150) == 100
    assert bank.fill_purse(BOB, 100, 150) == 50
    assert bank.fill_purse(BOB, 100, 150) == 50
    CLOCK[0] += 86399
    assert bank.fill_purse(BOB, 100, 150) == 50
    CLOCK[0] += 1
    assert bank.fill_purse(BOB, 100, 150) == 100
    assert bank.fill_purse(BOB, 100, 0) == 100


@pytest.mark.parametrize(("ahead", "owned"), [(86400, 100), (400 * 86400, 110)])
def test_a_clock_that_was_ahead_keeps_no_purse_empty_and_fills_none_twice(bank: Bank, ahead: int, owned: int) -> None:
    CLOCK[0] += ahead
    assert bank.fill_purse(ADA, 100, 100) == 100
    CLOCK[0] -= ahead
    assert bank.fill_purse(ADA, 110, 100) == owned


def test_house_players_pay_and_win_like_anybody(bank: Bank) -> None:
    bank.welcome(1, 100)
    bank.fill_purse(ADA, 100, 1000)
    game, balances = bank.open_game(0, "poker", {1: 10, ADA: 10})
    assert balances == {1: 90, ADA: 90}
    assert bank.bet(game, 1, ADA, 40, believed={1: 90, ADA: 90}) == (60, 50)
    with pytest.raises(NotEnough):
        bank.bet(game, 2, ADA, 51)
    assert bank.settle(game, {ADA: 1}).paid == {ADA: 60}
    assert bank.balances([1, ADA]) == {1: 90, ADA: 110}
    found = bank.game(game)
    assert found is not None
    assert [(one.user, one.paid, one.got) for one in found.game.players] == [(1, 10, 0), (ADA, 50, 60)]
    assert [one.user for one in found.game.winners] == [ADA]


def test_a_stake_goes_back_to_a_house_player_without_a_notice(bank: Bank) -> None:
    bank.fill_purse(ADA, 100, 1000)
    bank.fill_purse(BOB, 100, 1000)
    game, _ = bank.open_game(0, "poker", {ADA: 10, BOB: 10})
    back = bank.give_back(game, ADA, 1)
    assert back is not None
    assert (back.amount, back.pot, bank.balance(ADA)) == (10, 10, 100)
    bank.settle_leftovers()
    assert (bank.balance(BOB), told(bank, ADA), told(bank, BOB)) == (100, [], [])


def test_without_cubes_all_invitations_are_withdrawn_and_it_is_told(hall: Hall) -> None:
    (anna,) = hall.seat("Anna")
    assert anna("invite", "easy") == anna("invite", "hard") == "ok"
    ada = hall.session(ADA, "Ada*")
    assert ada("broke") == "ok"
    assert (hall.header.invited, hall.table.log[-1].event) == (0, HouseBroke())
    assert "broke" in anna("read")


# --- a program that fails ---------------------------------------------------------------------------------------------


def fail(view: View, level: Level, chance: SealedChance) -> Move:
    """Be a program with a mistake."""
    raise ArithmeticError("a mistake")


class FailingHands(HouseHands):
    """A session that may be a house player's, which goes by a program with a mistake."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {
            "stay": self._sit,
            "move": self._move,
            "take all": lambda: self._instance.bank.take(self._user, self._user, None),
        }

    def _sit(self) -> None:
        instance, alarms = self._instance, Alarms(arm=lambda seconds, period: None)
        slots = ThinkSlots(instance.data / FILE)
        game = plain(POKER_GAME._replace(player=HousePlayer(1, fail)))
        self._stay = HouseSession(instance, alarms, self._table, game, slots)
        self._stay.sit(self._user, self._name)

    def _move(self) -> None:
        self._stay.look()
        self._stay.move()


@contextmanager
def listening() -> Iterator[None]:
    """Take the signals to the listener, which in a hall is the test's own process."""
    before = signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGUSR1, before)


def test_a_program_that_fails_costs_a_turn_and_not_the_process(tmp_path: Path) -> None:
    """Where seats are kept, the next process would choose by the same view, and the game would never end."""
    with listening(), Hall(tmp_path / "data", hands=FailingHands) as hall:
        (anna,) = hall.seat("Anna")
        ada = hall.session(ADA, "Ada*")
        assert anna("invite", "normal") == ada("stay") == anna("start") == anna("bet", 5) == "ok"
        commits = hall.commits
        assert ada("move") == ada("move") == "ok"
        assert (hall.commits, hall.current()) == (commits, "Ada*"), "the clock decides"


def test_one_that_goes_for_want_of_cubes_says_so(tmp_path: Path) -> None:
    poor = msgspec.structs.replace(CONFIG, house=House(daily_cubes=0))
    with listening(), Hall(tmp_path / "data", poor, FailingHands) as hall:
        (anna,) = hall.seat("Anna")
        ada, bob = hall.session(ADA, "Ada*"), hall.session(BOB, "Bob*")
        for player in (ada, bob):
            assert anna("invite", "normal") == player("stay") == player("take all") == "ok"
        assert ada("move") == bob("move") == "Over"
        assert [entry.event for entry in hall.table.log].count(HouseBroke()) == 1


# --- kept seats -------------------------------------------------------------------------------------------------------


class KeepingHands(HouseHands):
    """A session at a table that keeps seats; its games are poker without regard to what poker does about that."""

    def _floor(self) -> Sequence[GameTable]:
        tables = super()._floor()
        keeps = Keeps[Struct](lambda state: 0)
        return [game_table(self._instance, one.context, one.rules._replace(keeps=keeps)) for one in tables]


def test_a_killed_player_s_seat_is_kept_played_and_given_back(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", hands=KeepingHands) as hall:
        anna, bert = hall.seat("Anna", "Bert")
        assert anna("start") == anna("bet", 5) == "ok"
        cell = hall.foundation.segment.cells[0]
        bert.kill()
        wait_until(lambda: anna("look after") == "ok" and cell.header().invited == 1)
        assert hall.names() == ["Anna", "Bert"]
        ada = hall.session(ADA, "Ada*")
        assert ada("join", "normal") == "ok"
        assert (hall.names(), cell.header().invited, hall.current()) == (["Anna", "Ada*"], 0, "Ada*")
        assert anna("look after") == "ok", "a seat that somebody has taken over is nobody's to purge"
        ada.kill()
        wait_until(lambda: anna("look after") == "ok" and cell.header().invited == 1)
        again = hall.session(2, "Bert")
        assert again("sit") == "ok"
        assert (hall.names(), hall.current(), cell.header().invited) == (["Anna", "Bert"], "Bert", 0)
        assert again("fold") == anna("leave") == "ok"
        kinds = [action.kind for action in the_game(hall).actions]
        assert kinds == ["deal", "move", "away", "stand_in", "away", "back", "move", "leave"]
        assert verify(the_game(hall), POKER, PROGRAM).verdict == "proven"


def test_a_seat_whose_player_does_not_come_back_is_given_up_with_the_last_person(tmp_path: Path) -> None:
    with Hall(tmp_path / "data", hands=KeepingHands) as hall:
        anna, bert, carl = hall.seat("Anna", "Bert", "Carl")
        assert anna("start") == "ok"
        bert.kill()
        wait_until(lambda: anna("look after") == "ok" and hall.header.invited == 1)
        assert anna("leave") == carl("leave") == "ok"
        assert (hall.names(), hall.phase()) == ([], "none")
        assert [one.user for one in the_game(hall).game.winners] in ([2], [3])
