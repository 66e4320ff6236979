"""House players at a real table: their seats, their CUBES, and whether their moves are their programs'."""

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from types import MappingProxyType

import msgspec
import pytest

from tests.isolation.books import Place
from tests.isolation.sessions import Hall, Hands, Session, told
from tests.isolation.stores import bank_in_file, with_clock
from tests.isolation.test_history import check
from tests.waiting import wait_until
from yawc_poker.casino.bank.bank import Bank
from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.ledger import NotEnough, Settlement
from yawc_poker.casino.bank.programs import Program
from yawc_poker.casino.bank.verify import sample, verify
from yawc_poker.casino.instance.databases import BANK_FILE
from yawc_poker.casino.instance.instance import game_table
from yawc_poker.casino.tables.game_table import GameTable
from yawc_poker.engine import transcript
from yawc_poker.engine.against_house import EVERYBODY, AgainstHouse, HousePart, Person
from yawc_poker.engine.company import must_go
from yawc_poker.engine.game import GameState, IllegalMove
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


def choose(state: State, seat: int, level: Level, chance: SealedChance, stands_in: bool = False) -> Move:
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
    """A session that may be a house player's. Each draws the same each time, so that the choices are the same, too."""

    def _floor(self) -> Sequence[GameTable]:
        chance = Random(self._user)
        tables = super()._floor()
        return [game_table(self._instance, one.context._replace(chance=chance), one.rules) for one in tables]

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        table, bank = self._table, self._instance.bank
        levels: dict[str, Level] = {level: level for level in LEVELS}
        return super()._orders(rest) | {
            "invite": lambda: table.invite(levels[rest[0]]),
            "dismiss": table.dismiss,
            "join": lambda: table.sit(self._user, self._name, program=f"{rest[0]} 1"),
            "fill": lambda: bank.fill_purse(self._user, int(rest[0])),
            "take all": lambda: bank.take(time.monotonic_ns(), self._user, None),
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
    clever: Program[State, Move] = Program(
        1, lambda state, seat, level, chance, stands_in: choose(state, seat, "normal", chance)
    )
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

    def noted(state: State, seat: int, level: Level, chance: SealedChance, stands_in: bool) -> Move:
        asked.append(seat)
        return choose(state, seat, level, chance)

    found = sample(played, POKER, Program(1, noted))
    assert asked == [], "nothing is repeated before it is asked for"
    assert [next(found), len(asked)] == [True, 1]
    assert all(found)
    moves = [action.seat for action in house_moves(played)]
    assert sorted(asked) == sorted(moves)
    assert asked != moves
    wrong: Program[State, Move] = Program(1, lambda state, seat, level, chance, stands_in: Fold())
    assert not any(sample(played, POKER, wrong))
    assert list(sample(played, POKER, Program(2, choose))) == list(sample(played, POKER, None)) == []


def test_a_choice_depends_on_the_sealed_seed(played: PastGame) -> None:
    rest: Program[State, Move] = Program(
        1, lambda state, seat, level, chance, stands_in: choose(state, seat, level, SealedChance("another"))
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
    assert bank.fill_purse(ADA, 100) == 100
    figures = bank.figures()
    assert (figures.house, figures.cash, figures.minted) == (100, 70, 170)
    assert bank.fill_purse(ADA, 100) == bank.fill_purse(ADA, 50) == bank.balance(ADA) == 100


def shares(most: int = 100, together: int = 10**6) -> Callable[[str], int]:
    """Return the shares of a day: of each account and network, and of all together."""
    return lambda share: together if share == EVERYBODY else most


def won(
    bank: Bank,
    paid: Mapping[int, int],
    winner: int,
    limits: Callable[[str], int],
    networks: Mapping[int, str] = MappingProxyType({}),
    most: int | None = None,
) -> tuple[AgainstHouse, Settlement]:
    """Play a game that somebody wins; return who played for fun, and how it was settled."""
    people = tuple(Person(user, networks.get(user, f"192.0.{user}.0/24")) for user in paid if user not in HOUSE_USERS)
    house = tuple(HousePart(user, most) for user in paid if user in HOUSE_USERS)
    against = bank.agree(AgainstHouse(people, house), limits)
    game, _ = bank.open_game(0, "poker", paid)
    settled = bank.settle(game, {winner: 1}, against=against, limits=limits)
    assert bank.settle(game, {winner: 1}, against=against, limits=limits) == settled, "it is repeated"
    return against, settled


@pytest.fixture
def rich(bank: Bank) -> Bank:
    for user in (1, 2):
        bank.welcome(user, 1000)
    for user in (ADA, BOB):
        bank.fill_purse(user, 1000)
    return bank


def test_what_an_account_wins_of_house_players_on_a_day_has_an_end(rich: Bank) -> None:
    against, settled = won(rich, {1: 80, ADA: 80}, 1, shares())
    assert (against.people[0].for_fun, settled.back) == (False, {})
    against, settled = won(rich, {1: 80, ADA: 80}, 1, shares())
    assert (against.people[0].for_fun, settled.back) == (False, {1: -60, ADA: 60})
    against, settled = won(rich, {1: 80, ADA: 80}, 1, shares())
    assert (against.people[0].for_fun, settled.back) == (True, {1: -80, ADA: 80})
    against, settled = won(rich, {1: 80, ADA: 80}, ADA, shares())
    assert (against.people[0].for_fun, settled.back) == (True, {1: 80, ADA: -80}), "nor is anything lost"
    assert rich.balances([1, ADA]) == {1: 1100, ADA: 900}
    CLOCK[0] += 86400
    _, settled = won(rich, {1: 80, ADA: 80}, 1, shares())
    assert settled.back == {}, "another day"


def test_what_was_lost_may_be_won_back(rich: Bank) -> None:
    won(rich, {1: 300, ADA: 300}, ADA, shares())
    assert won(rich, {1: 390, ADA: 390}, 1, shares())[1].back == {}
    assert won(rich, {1: 80, ADA: 80}, 1, shares())[1].back == {1: -70, ADA: 70}


def test_accounts_of_one_network_have_one_share(rich: Bank) -> None:
    home = {1: "198.51.100.0/24", 2: "198.51.100.0/24"}
    won(rich, {1: 100, ADA: 100}, 1, shares(), home)
    against, settled = won(rich, {2: 80, ADA: 80}, 2, shares(), home)
    assert (against.people[0].for_fun, settled.back) == (True, {2: -80, ADA: 80})
    assert won(rich, {2: 80, ADA: 80}, 2, shares())[1].back == {}, "from elsewhere it has its own"


def test_all_together_have_an_end_of_their_own(rich: Bank) -> None:
    won(rich, {1: 100, ADA: 100}, 1, shares(together=150))
    assert won(rich, {2: 100, ADA: 100}, 2, shares(together=150))[1].back == {2: -50, ADA: 50}
    assert won(rich, {2: 100, ADA: 100}, ADA, shares(together=150))[0].people[0].for_fun


def test_people_keep_what_they_win_of_each_other(rich: Bank) -> None:
    won(rich, {1: 100, ADA: 100}, 1, shares())
    _, settled = won(rich, {1: 50, 2: 50, ADA: 30, BOB: 20}, 1, shares())
    assert settled.back == {1: -50, ADA: 30, BOB: 20}
    _, settled = won(rich, {1: 50, 2: 50, ADA: 50}, ADA, shares())
    assert settled.back == {1: 50, ADA: -50}, "the other one does not play for fun"


def test_with_an_easy_one_the_ante_is_played_for(rich: Bank) -> None:
    assert won(rich, {1: 80, ADA: 80}, 1, shares(), most=10)[1].back == {1: -70, ADA: 70}
    assert won(rich, {1: 80, ADA: 80}, ADA, shares(), most=10)[1].back == {1: 70, ADA: -70}
    assert rich.balances([1, ADA]) == {1: 1000, ADA: 1000}


def test_what_goes_back_is_in_the_history_of_nobody_s_pot(rich: Bank) -> None:
    won(rich, {1: 300, ADA: 300}, 1, shares())
    found = rich.game(1)
    assert found is not None
    assert [(one.user, one.paid, one.got, one.back) for one in found.game.players] == [
        (1, 300, 600, 0),
        (ADA, 300, 0, 0),
    ]
    assert [(one.user, one.kind) for one in found.lines] == []


def test_house_players_pay_and_win_like_anybody(bank: Bank) -> None:
    bank.welcome(1, 100)
    bank.fill_purse(ADA, 100)
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
    bank.fill_purse(ADA, 100)
    bank.fill_purse(BOB, 100)
    game, _ = bank.open_game(0, "poker", {ADA: 10, BOB: 10})
    back = bank.give_back(game, ADA, 1)
    assert back is not None
    assert (back.amount, back.pot, bank.balance(ADA)) == (10, 10, 100)
    bank.settle_leftovers()
    assert (bank.balance(BOB), told(bank, ADA), told(bank, BOB)) == (100, [], [])


# --- a program that fails ---------------------------------------------------------------------------------------------


def fail(view: View, level: Level, chance: SealedChance) -> Move:
    """Be a program with a mistake."""
    raise ArithmeticError("a mistake")


class FailingHands(HouseHands):
    """A session that may be a house player's, which goes by a program with a mistake."""

    def _orders(self, rest: tuple[str, ...]) -> dict[str, Callable[[], object]]:
        return super()._orders(rest) | {"stay": self._sit, "move": self._move}

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


def test_a_house_player_borrows_when_a_game_begins_and_not_before(tmp_path: Path) -> None:
    """Asking for some and sending them away again takes nothing from the house."""
    with listening(), Hall(tmp_path / "data", hands=HouseHands) as hall:
        (anna,) = hall.seat("Anna")
        for _ in range(3):
            ada = hall.session(ADA, "Ada*")
            assert anna("invite", "normal") == ada("take all") == ada("join", "normal") == anna("dismiss") == "ok"
            assert ada("leave") == "ok"
            ada.close()
        assert in_books(hall).balance(ADA) == 0
        ada = hall.session(ADA, "Ada*")
        assert anna("invite", "normal") == ada("take all") == ada("join", "normal") == anna("start") == "ok"
        assert (hall.phase(), in_books(hall).balance(ADA)) == ("bet", 990)


# --- kept seats -------------------------------------------------------------------------------------------------------


class KeepingHands(HouseHands):
    """A session at a table that keeps seats; its games are poker without regard to what poker does about that."""

    def _floor(self) -> Sequence[GameTable]:
        tables = super()._floor()
        keeps = Keeps[GameState](lambda state: 0)
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
