"""Who comes first? Two or three sessions, cut into named parts, in every order (`interleave.py`)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.isolation.interleave import Event, GatedHands, Play, Track, orders
from tests.isolation.prompt import PromptHands, with_accounts
from tests.isolation.sessions import Hall, Session, several_tables
from yawc_poker.engine.events import SatDown

WANTED, TAKEN, MOVED = "table 1 lock wanted", "table 1 lock taken", "number moved"


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    with Hall(tmp_path / "data", hands=GatedHands) as hall:
        yield hall
        assert hall.locks_held() == []
        assert hall.header.override == 0
        hall.money()
        hall.histories()


def in_game(hall: Hall, *names: str) -> list[Session]:
    people = hall.seat(*names)
    assert people[0]("start") == "ok"
    return people


def before_last_show(hall: Hall, *names: str) -> list[Session]:
    """All but the last have shown their cards."""
    first, *rest = people = in_game(hall, *names)
    for orders_ in (("bet", 5), ("swap",), ("bet", 5)):
        see = "see" if hall.phase() == "bet" and hall.money().pots > 15 * len(names) - 1 else orders_[0]
        assert first(see, *orders_[1:]) == "ok"
        assert [person(*orders_) for person in rest] == ["ok"] * len(rest)
    assert [person("show") for person in people[:-1]] == ["ok"] * len(rest)
    return people


# --- two sit down on the last seat ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(emil="look lock seat tell", fritz="look lock seat tell"))
def test_two_sit_down_on_the_last_seat(hall: Hall, order: str) -> None:
    hall.seat("Anna", "Bert", "Carl", "Dora")
    emil, fritz = (
        Track(hall.session(user, name), "sit", look=WANTED, lock=TAKEN, seat=MOVED, tell="")
        for user, name in ((5, "Emil"), (6, "Fritz"))
    )
    play = Play(hall, emil=emil, fritz=fritz)
    answers = play.play(order)
    first, second = ("emil", "fritz") if play.before("emil.lock", "fritz.lock") else ("fritz", "emil")
    assert (answers[first], answers[second]) == ("ok", "table_full"), play.trace
    assert hall.names() == ["Anna", "Bert", "Carl", "Dora", first.capitalize()]
    assert sum(isinstance(entry.event, SatDown) for entry in hall.table.log) == 5


# --- a seat is taken over while its time ends, and by two at once -----------------------------------------------------


@pytest.mark.parametrize("order", orders(old="look lock tell", new="lock seat tell"))
def test_a_seat_is_taken_over_in_the_moment_when_its_time_ends(hall: Hall, order: str) -> None:
    anna, _, _ = in_game(hall, "Anna", "Bert", "Carl")
    assert anna("lose line") == "ok"
    play = Play(
        hall,
        old=Track(anna, "leave", look=WANTED, lock=TAKEN, tell=""),
        new=Track(hall.session(1, "Anna"), "take over", lock=TAKEN, seat=MOVED, tell=""),
    )
    answers = play.play(order)
    assert answers["old"] == "ok"
    assert answers["new"] in {"ok", "not_seated"}
    assert hall.names() == (["Anna", "Bert", "Carl"] if answers["new"] == "ok" else ["Bert", "Carl"]), play.trace
    assert not hall.is_held("Anna")


@pytest.mark.parametrize("order", orders(one="lock seat tell", two="lock seat tell"))
def test_two_sessions_of_one_user_take_a_seat_over(hall: Hall, order: str) -> None:
    anna, _ = in_game(hall, "Anna", "Bert")
    assert anna("lose line") == "ok"
    one, two = hall.session(1, "Anna"), hall.session(1, "Anna")
    tracks = {
        name: Track(session, "take over", lock=TAKEN, seat=MOVED, tell="")
        for name, session in (("one", one), ("two", two))
    }
    answers = Play(hall, **tracks).play(order)
    assert sorted(answers.values()) == ["not_seated", "ok"]
    who = hall.table.seats[0]
    assert who is not None
    assert who.session == (one if answers["one"] == "ok" else two).token


# --- a bet against its timeout ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(anna="lock pay tell", bert="look lock serve", clock="strikes"))
def test_bet_against_timeout(hall: Hall, order: str) -> None:
    anna, bert, _ = in_game(hall, "Anna", "Bert", "Carl")
    hall.pass_time(59)
    play = Play(
        hall,
        anna=Track(anna, "bet", 5, lock=TAKEN, pay="after bet", tell=""),
        bert=Track(bert, "look after", look=WANTED, lock=TAKEN, serve=""),
        clock=Event("strikes", lambda: hall.pass_time(2)),
    )
    answers = play.play(order)
    assert answers["bert"] == "ok"
    if hall.current() == "Anna":  # he looked too early, and she not at all
        assert answers["anna"] == "too_late", play.trace
        assert bert("look after") == "ok"
    bet = answers["anna"] == "ok"
    assert bet or answers["anna"] in {"too_late", "not_your_turn"}, play.trace
    assert bet is play.before("anna.pay", "clock.strikes") if "anna.pay" in play.trace else not bet
    game = hall.table.game
    assert game is not None
    assert (hall.current(), game.turn, game.players[0] is not None) == ("Bert", 2, bet), play.trace
    assert hall.money().pots == hall.header.pot == (35 if bet else 30)
    assert hall.balances(1) == [85 if bet else 90]


# --- a leave against the payout ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(carl="lock claim pay tell", bert="lock gone tell"))
def test_leave_against_payout(hall: Hall, order: str) -> None:
    people = before_last_show(hall, "Anna", "Bert", "Carl")
    _, bert, carl = people
    play = Play(
        hall,
        carl=Track(carl, "show", lock=TAKEN, claim=MOVED, pay="after settle", tell=""),
        bert=Track(bert, "leave", lock=TAKEN, gone=MOVED, tell=""),
    )
    assert play.play(order) == {"carl": "ok", "bert": "ok"}, play.trace
    assert hall.names() == ["Anna", "Carl"]
    won_by = hall.balances(1, 2, 3).index(140)
    if play.before("bert.lock", "carl.lock"):
        assert won_by != 1, "who is gone before the end has no part in it"
    assert sorted(hall.balances(1, 2, 3)) == [80, 80, 140]
    assert (hall.phase(), hall.money().open_games, hall.header.pot) == ("none", 0, 0)
    assert hall.master() in hall.names()


@pytest.mark.parametrize("order", orders(carl="look lock pay tell", bert="lock gone tell"))
def test_leave_against_a_payout_that_had_to_wait(hall: Hall, order: str) -> None:
    people = before_last_show(hall, "Anna", "Bert", "Carl")
    anna, bert, carl = people
    assert carl("no payouts") == carl("show") == carl("payouts") == "ok"
    (due,) = hall.table.due
    play = Play(
        hall,
        carl=Track(carl, "look after", look=WANTED, lock=TAKEN, pay="after settle", tell=""),
        bert=Track(bert, "leave", lock=TAKEN, gone=MOVED, tell=""),
    )
    assert play.play(order) == {"carl": "ok", "bert": "ok"}, play.trace
    assert anna("look after") == "ok"
    assert hall.names() == ["Anna", "Carl"]
    assert hall.balances(1, 2, 3).index(140) == due.user - 1, "he wins it who had won it, though he may have gone"
    assert (hall.phase(), hall.money().open_games) == ("none", 0)


# --- a purge against the reconnection of the same name ----------------------------------------------------------------


@pytest.mark.parametrize("order", orders(bert="bury look lock tell", anna="claim look lock seat"))
def test_purge_against_reconnect_of_the_same_name(hall: Hall, order: str) -> None:
    old, bert, _ = in_game(hall, "Anna", "Bert", "Carl")
    again = hall.session(4, "Guest")
    old.kill()
    play = Play(
        hall,
        bert=Track(bert, "look after all", bury="record freed", look=WANTED, lock=TAKEN, tell=""),
        anna=Track(again, "come back", 1, "Anna", claim="user written", look=WANTED, lock=TAKEN, seat=""),
    )
    assert play.play(order) == {"bert": "ok", "anna": "ok"}, play.trace
    assert sorted(hall.names()) == ["Anna", "Bert", "Carl"]
    assert hall.removed() == ["Anna"]
    assert hall.hold(again) is not None
    assert hall.foundation.count() == 3
    assert (hall.master(), hall.current()) == ("Bert", "Bert")
    assert bert("look after all") == "ok"
    assert hall.removed() == ["Anna"], "the new one keeps her seat"
    assert hall.money().pots == hall.header.pot == 30


# --- two purgers ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(bert="bury look lock tell", carl="bury look lock tell"))
def test_two_purgers(hall: Hall, order: str) -> None:
    anna, bert, carl = in_game(hall, "Anna", "Bert", "Carl")
    anna.kill()
    parts = {"bury": "record freed", "look": WANTED, "lock": TAKEN, "tell": ""}
    play = Play(hall, bert=Track(bert, "look after all", **parts), carl=Track(carl, "look after all", **parts))
    assert play.play(order) == {"bert": "ok", "carl": "ok"}, play.trace
    assert (hall.names(), hall.removed()) == (["Bert", "Carl"], ["Anna"])
    assert hall.log.count("'Anna' is gone and was removed") == 1
    assert hall.log.count(f"session {anna.pid} of 'Anna' is gone") == 1
    assert (hall.master(), hall.current(), hall.foundation.count()) == ("Bert", "Bert", 2)
    assert hall.money().pots == 30


# --- a deal against a leave -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(anna="lock deal commit tell", bert="lock gone tell"))
def test_deal_against_leave(hall: Hall, order: str) -> None:
    """Who leaves just before the deal is dealt in all the same: else it would be another deal."""
    anna, bert = hall.seat("Anna", "Bert")
    assert anna.freeze() == "ok"
    play = Play(
        hall,
        anna=Track(anna, "tend", lock=TAKEN, deal="after open_game", commit=MOVED, tell=""),
        bert=Track(bert, "leave", lock=TAKEN, gone=MOVED, tell=""),
    )
    assert play.play(order) == {"anna": "ok", "bert": "ok"}, play.trace
    assert anna("look after") == "ok"
    assert hall.balances(1, 2) == [110, 90]
    assert (hall.names(), hall.phase(), hall.master()) == (["Anna"], "none", "Anna")
    assert hall.money().open_games == 0


# --- a refund at one table against a deal at another ------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(emil="look refund", dora="lock deal tell"))
def test_refund_at_one_table_against_start_at_another(tmp_path: Path, order: str) -> None:
    with Hall(tmp_path / "data", several_tables(2), GatedHands) as hall:
        anna, _ = hall.seat("Anna", "Bert")
        carl, dora, emil = (hall.session(user, name) for user, name in ((3, "Carl"), (4, "Dora"), (5, "Emil")))
        for person in (dora, carl):
            assert person("table", 1) == person("sit") == "ok"
        anna.doomed("after open_game", "start")
        hall.pass_time(10)
        assert emil("look after") == dora.freeze() == "ok"
        play = Play(
            hall,
            emil=Track(emil, "look after", look="bank lock given back", refund=""),
            dora=Track(dora, "tend", lock="table 2 lock taken", deal="after open_game", tell=""),
        )
        assert play.play(order) == {"emil": "ok", "dora": "ok"}, play.trace
        assert hall.balances(1, 2, 3, 4) == [100, 100, 90, 90], "the game that nobody plays goes back, the other not"
        assert hall.money().open_games == 1
        assert dora("bet", 5) == "ok"
        assert hall.money().pots == hall.foundation.segment.cells[1].header().pot == 25


# --- an X-message against the logout of its receiver ------------------------------------------------------------------


@pytest.mark.parametrize("order", orders(bert="find store look tell", anna="look leave", carl="comes"))
def test_x_message_against_logout(tmp_path: Path, accounts_file: Path, order: str) -> None:
    with Hall(with_accounts(tmp_path / "data", accounts_file), hands=PromptHands) as hall:
        anna, bert = hall.session(1, "Anna"), hall.session(2, "Bert")
        parts = {"find": "person found", "store": "bank lock given back", "look": "user looked for", "tell": ""}
        play = Play(
            hall,
            bert=Track(bert, "write", "Anna", "huhu", **parts),
            anna=Track(anna, "look and go", look="looked", leave=""),
            carl=Event("comes", lambda: hall.session(3, "Carl")),
        )
        told = play.play(order)["bert"]
        if told == "nobody":
            assert play.before("anna.leave", "bert.tell")
        shown = int(anna("shown", "huhu"))
        again = hall.session(1, "Anna")
        assert again("read messages") == "ok"
        shown += int(again("shown", "huhu"))
        assert (told, shown) in {("sent", 1), ("will be read", 1), ("nobody", 0)}, play.trace
        hall.money()
