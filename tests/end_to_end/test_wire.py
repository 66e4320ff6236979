"""Mau-Mau's wire against the real daemon: handshakes, ids, every error of the protocol (spec/maumau_protocol.md 5),
bytes in any pieces, telnet callers at the same table, and what becomes of sessions that are killed."""

import re
import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import psutil
import pytest

from tests.end_to_end.bbs import Bbs, Caller, yawcctl
from tests.end_to_end.daemons import kill_listener
from tests.end_to_end.wire import WireClient, a_bbs, totals
from tests.processes import behind, serving
from tests.thoroughness import few
from tests.waiting import wait_until
from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.extras.maumau_wire.client.bot import GameResult, play_games
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Known, choices, hear
from yawc_poker.extras.maumau_wire.protocol.codec import encode
from yawc_poker.games.maumau import model
from yawc_poker.games.maumau.model import MayPlay, MayTake

DECK = frozenset(Card(rank, suit) for suit in Suit for rank in Rank if rank >= Rank.SEVEN)


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bbs]:
    with a_bbs(tmp_path_factory.mktemp("wire") / "data") as running:
        yield running
        running.is_sound()


@pytest.fixture
def wire(_shared: Bbs) -> Iterator[Bbs]:
    """One BBS for all tests of two clients; each begins with nobody there."""
    yield _shared
    _shared.everybody_out()


@contextmanager
def clients(bbs: Bbs, count: int, *, in_game: bool = True) -> Iterator[list[WireClient]]:
    """Yield clients who have their ids, and, `in_game`, have seen the first turn block."""
    with ExitStack() as stack:
        made = [stack.enter_context(WireClient(bbs.wire_port)).greet(f"P{number}") for number in range(1, count + 1)]
        for client in made if in_game else ():
            client.block()
        yield made


@pytest.fixture
def two(wire: Bbs) -> Iterator[list[WireClient]]:
    """Two clients in their first turn block; player 1 is on turn."""
    with clients(wire, 2) as made:
        yield made


def known(client: WireClient) -> Known:
    """What a client knows."""
    now = Known()
    for message in client.messages:
        now, _ = hear(now, message)
    return now


def illegal_card(client: WireClient) -> Card:
    """A card of the hand that may not be laid now; one that is not held where all may be."""
    now = known(client)
    may = {card for choice in choices(now) if isinstance(choice, MayPlay) for card in choice.cards}
    return min((set(now.hand) - may) or (DECK - set(now.hand) - {now.top}))


def put_out(client: WireClient, others: list[WireClient], number: int) -> None:
    """The client was told 74 with its own id and was closed; the others were told, too."""
    client.ended()
    assert client.messages[-1] == messages.Yeeted(number)
    for other in others:
        assert messages.Yeeted(number) == other.wait(messages.Yeeted)


# --- the handshake ----------------------------------------------------------------------------------------------------


def test_ids_are_given_in_order_and_the_lowest_free_one_again(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=4) as bbs, clients(bbs, 3, in_game=False) as made:
        assert [client.id for client in made] == [1, 2, 3]
        made[1].close()
        wait_until(lambda: "hung up" in bbs.log.read_text(), "the seat to be free")
        with WireClient(bbs.wire_port) as again, WireClient(bbs.wire_port) as last:
            wait_until(lambda: len(sessions(bbs)) == 4, "the leaving session's end")
            assert (again.greet().id, last.greet().id) == (2, 4)
            for client in (made[0], made[2], again, last):
                assert client.wait(messages.Cards).counts == (7, 6, 6, 6)


@pytest.mark.parametrize(
    "data", ["43 41 0A", "00", "47", "FF FB 18", "42" + " 00 41" * 65, "0D 0A", "47 45 54 20 2F 20 48 54 54 50"]
)
def test_what_is_no_handshake_is_closed_without_an_answer(wire: Bbs, data: str) -> None:
    with WireClient(wire.wire_port) as client:
        client.send(bytes.fromhex(data))
        client.ended()
        assert client.received == b""
    with WireClient(wire.wire_port) as next_one:
        assert next_one.greet().id == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("", "Mau^"),
        ("A" * 64, "A" * 18 + "^"),
        ("\x1b[2J\r\nboo", "boo^"),
        ("Watcher", "Watcher^"),
        ("Straße", "Straße^"),
        ("\u202egnol", "gnol^"),
    ],
)
def test_a_name_becomes_harmless_and_a_guests(wire: Bbs, name: str, shown: str) -> None:
    with WireClient(wire.wire_port) as client:
        client.greet(name)
        looker = wire.call().register("L" + "".join(filter(str.isalpha, shown))[:12] + str(len(name)))
        looker.send("w")
        looker.see("2 users online.")
        *_, row = (line for line in looker.lines if "^" in line)  # above it the welcome names all who are online
        assert shown in row
        assert "Mau-Mau table" in row


def test_names_are_unique_whatever_is_asked_for(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=4) as bbs, ExitStack() as stack:
        watcher = bbs.call().register("Looker")
        for name in ("Egal", "EGAL", "Egal2", "Looker"):
            stack.enter_context(WireClient(bbs.wire_port)).send(messages.Id(name))
        wait_until(lambda: bbs.log.read_text().count("has seat") == 4, "all four to be seated")
        watcher.send("w")
        watcher.see("5 users online.")
        names = [line.split()[0].casefold() for line in watcher.lines if "^" in line]
        assert len(set(names)) == 4
        assert "looker^" in names


def test_a_second_handshake_is_none(two: list[WireClient]) -> None:
    one, other = two
    one.send(messages.Id("again"))
    put_out(one, [other], 1)


def test_nobody_is_let_in_while_the_game_runs(two: list[WireClient], wire: Bbs) -> None:
    with WireClient(wire.wire_port) as third:
        third.send(messages.Id("third"))
        third.ended()
        assert third.received == b""
    assert not two[0].read(0)


def test_nobody_is_let_in_to_a_full_table(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        callers = [bbs.call().register(f"Caller {number}") for number in range(5)]
        for caller in callers:
            sit_at_maumau(caller)
        with WireClient(bbs.wire_port) as client:
            client.send(messages.Id("late"))
            client.ended()
            assert client.received == b""


@pytest.mark.timeout(40)
def test_who_says_nothing_is_closed_in_time(wire: Bbs) -> None:
    with WireClient(wire.wire_port) as silent, WireClient(wire.wire_port) as unfinished:
        unfinished.send(bytes.fromhex("42 00 41"))
        silent.ended(15)
        unfinished.ended(15)
        assert silent.received + unfinished.received == b""


# --- errors of a player (5) -------------------------------------------------------------------------------------------


UNDEFINED = ["43 15 06", "43 00 07", "43 41 0F", "46 00", "46 07", "48", "00", "FF", "69 15 0E 00", "74 01", "42 00 00"]


@pytest.mark.parametrize(
    ("data", "place"),
    [*((data, 0) for data in UNDEFINED), *((data, 1) for data in few(UNDEFINED, 2))],
)
def test_undefined_bytes_put_out(two: list[WireClient], data: str, place: int) -> None:
    """The first player is on turn, the second is not."""
    two[place].send(bytes.fromhex(data))
    put_out(two[place], [two[1 - place]], place + 1)
    two[1 - place].wait(messages.Result)
    two[1 - place].ended()


def test_a_card_that_may_not_be_laid(two: list[WireClient]) -> None:
    two[0].send(model.PlayCard(illegal_card(two[0])))
    put_out(two[0], [two[1]], 1)
    assert not [one for one in two[1].messages if isinstance(one, messages.Played)]


def test_a_card_that_is_not_held(two: list[WireClient]) -> None:
    two[0].send(model.PlayCard(known(two[1]).hand[0]))
    put_out(two[0], [two[1]], 1)


@pytest.mark.parametrize("count", [0, 2, 3, 255])
def test_a_wrong_number_of_cards(two: list[WireClient], count: int) -> None:
    two[0].send(model.Take(count))
    put_out(two[0], [two[1]], 1)


def test_taking_while_one_could_lay(two: list[WireClient]) -> None:
    """Where nothing fits, taking one is right; then somebody else is asked, or the card fits and must be laid."""
    while not any(isinstance(choice, MayPlay) for choice in choices(known(two[0]))):
        before = len(two[0].messages)
        two[0].send(model.Take(1))
        two[0].block(before)
        if not known(two[0]).is_mine:
            two = two[::-1]
            two[0].block(before - 1)
    place = known(two[0]).place
    two[0].send(model.Take(1))
    put_out(two[0], [two[1]], place + 1)


@pytest.mark.parametrize("move", [model.Finish(), model.Wish(Suit.HEARTS)], ids=["finish", "wish"])
def test_what_is_not_due(two: list[WireClient], move: model.Finish | model.Wish) -> None:
    two[0].send(move)
    put_out(two[0], [two[1]], 1)


@pytest.mark.parametrize(
    "move",
    [model.PlayCard(Card(Rank.JACK, Suit.CLUBS)), model.Take(1), model.Finish(), model.Wish(Suit.CLUBS)],
    ids=["play", "take", "finish", "wish"],
)
def test_an_action_out_of_turn(
    two: list[WireClient], move: model.PlayCard | model.Take | model.Finish | model.Wish
) -> None:
    two[1].send(move)
    put_out(two[1], [two[0]], 2)


@pytest.mark.parametrize("place", [0, 1], ids=["on turn", "not on turn"])
def test_who_leaves_is_told_to_the_others(two: list[WireClient], place: int) -> None:
    held = sum(_points(card) for card in known(two[place]).hand)
    two[place].send(messages.Yeet())
    put_out(two[place], [two[1 - place]], place + 1)
    left = two[1 - place]
    totals = left.wait(messages.Result).totals
    assert totals[place] == held
    left.ended()
    assert left.messages[-2:] == [messages.Yeeted(place + 1), messages.Result(totals)]


def _points(card: Card) -> int:
    return {Rank.JACK: 20, Rank.QUEEN: 10, Rank.KING: 10, Rank.ACE: 11}.get(card.rank, int(card.rank))


@pytest.mark.parametrize("how", ["close", "reset", "half"])
def test_the_end_of_the_stream_is_a_leaving(two: list[WireClient], how: str) -> None:
    {"close": two[0].close, "reset": two[0].reset, "half": two[0].finish_sending}[how]()
    assert two[1].wait(messages.Yeeted) == messages.Yeeted(1)
    two[1].wait(messages.Result)
    two[1].ended()


def test_who_has_closed_only_one_half_is_told(two: list[WireClient]) -> None:
    two[0].finish_sending()
    put_out(two[0], [two[1]], 1)


def test_an_incomplete_message_is_waited_for(two: list[WireClient]) -> None:
    two[0].send(b"\x43\x41")
    assert not two[1].read(0.3)
    two[0].send(b"\x06")
    put_out(two[0], [two[1]], 1)


def test_who_lets_the_time_pass_is_out_and_the_others_play_on(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=3, turn=1.5) as bbs, clients(bbs, 3) as made:
        assert made[0].wait(messages.Time) == messages.Time(1500)
        told = time.monotonic()
        before = [len(client.messages) for client in made]
        put_out(made[0], made[1:], 1)
        assert time.monotonic() - told >= 1.5, "before the time that was told"
        for client, since in zip(made[1:], before[1:], strict=True):
            block = client.block(since)
            assert block[-2] == messages.OnTurn(2)
            assert next(one for one in block if isinstance(one, messages.Cards)).counts == (0, 6, 6)


def test_out_of_turn_nobody_is_asked_again(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=3) as bbs, clients(bbs, 3) as made:
        made[2].send(messages.Yeet())
        put_out(made[2], made[:2], 3)
        assert not made[0].read(0.3)
        assert known(made[0]).is_mine
        before = len(made[1].messages)
        act(made[0], Random(1))
        assert made[1].block(before)


@pytest.mark.parametrize("seed", range(6))
def test_any_bytes_of_a_player_end_in_yeet_or_close_and_the_others_play_on(tmp_path: Path, seed: int) -> None:
    rng = Random(seed)
    with a_bbs(tmp_path / "data", players=5) as bbs, clients(bbs, 5) as made:
        before = len(made[4].messages)
        for foul in rng.sample(made[:4], 3):
            opcode = bytes([rng.randrange(0x40, 0x49)])
            foul.send(rng.choice((opcode, b"")) + rng.randbytes(rng.choice((1, 3, 50, 5000))), b"\xff")
            foul.ended()
        made[4].until(lambda: sum(isinstance(one, messages.Yeeted) for one in made[4].messages) == 3, "three to be out")
        left = [client for client in made if client.is_open]
        assert len(left) == 2
        left[0].until(lambda: known(left[0]).expects == "move", "somebody to be asked")
        play_out(left)
        assert len(made[4].messages) > before
        assert "bug" not in bbs.log.read_text()


def act(client: WireClient, rng: Random) -> None:
    """Do something legal."""
    now = known(client)
    options = choices(now)
    for choice in options:
        if isinstance(choice, MayPlay):
            client.send(model.PlayCard(min(choice.cards, key=lambda card: card.rank == Rank.JACK)))
            return
        if isinstance(choice, MayTake):
            client.send(model.Take(choice.count))
            return
    client.send(model.Wish(rng.choice(tuple(Suit))))


# --- bytes in any pieces ----------------------------------------------------------------------------------------------


def test_everything_byte_by_byte(wire: Bbs) -> None:
    with WireClient(wire.wire_port) as one, WireClient(wire.wire_port) as other:
        for client, name in ((one, "Straße"), (other, "🃏")):
            client.trickle(encode(messages.Id(name)))
            client.wait(messages.Answer)
        for client in (one, other):
            client.block()
        before = len(other.messages)
        now = known(one)
        card = next((choice.cards[0] for choice in choices(now) if isinstance(choice, MayPlay)), None)
        one.trickle(encode(model.Take(1) if card is None else model.PlayCard(card)))
        other.block(before)


def test_jack_and_wish_in_one_segment(wire: Bbs) -> None:
    """Early bytes are done in order (P20)."""
    for _ in range(40):
        wire.everybody_out()
        with clients(wire, 2) as (one, other):
            jacks = [card for card in known(one).hand if card.rank == Rank.JACK]
            if not jacks:
                continue
            before = len(other.messages)
            one.send(model.PlayCard(jacks[0]), model.Wish(Suit.CLUBS))
            other.until(lambda: known(other).is_mine, "player 2 to be asked")
            told = other.messages[before:]
            assert told[0] == messages.Played(jacks[0])
            assert told.count(messages.WishIs(Suit.CLUBS)) == 2
            return
    raise AssertionError("no jack in forty games")


def test_handshake_and_nonsense_in_one_segment(wire: Bbs) -> None:
    with WireClient(wire.wire_port) as one:
        one.send(messages.Id("One"), model.Take(1))
        one.ended()
        assert one.received == bytes.fromhex("01 74 01")


# --- limits and doors -------------------------------------------------------------------------------------------------


def test_a_door_that_is_off(bbs: Bbs) -> None:
    assert bbs.wire_port == 0
    caller = bbs.call().register("Anna")
    caller.send("S")
    caller.see("[3] Mau-Mau")


def test_only_so_many_clients_at_once(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=5, limit=2) as bbs, clients(bbs, 2, in_game=False) as made:
        with WireClient(bbs.wire_port) as third:
            third.ended()
            assert third.received == b""
        caller = bbs.call().register("Anna")
        caller.send("w")
        caller.see("3 users online.")
        made[0].close()
        wait_until(lambda: greeted(bbs.wire_port), "a place for another")


def greeted(port: int) -> bool:
    with WireClient(port) as client:
        client.send(messages.Id("next"))
        while client.is_open and not client.messages:
            client.read(1)
        return bool(client.messages)


def test_bots_play_and_are_told_what_the_history_says(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=4) as bbs:
        told: list[GameResult] = []
        play_games("127.0.0.1", bbs.wire_port, 4, 25, Random(5), told.append, "Robo")
        assert [one.game for one in told] == list(range(1, 26))
        assert totals(bbs.data) == [one.totals for one in told]
        assert "wire client 'Robo 1^' from" in bbs.log.read_text()


# --- guests among callers ---------------------------------------------------------------------------------------------


def sit_at_maumau(caller: Caller, table: str = "") -> None:
    """Make a telnet caller sit down at the Mau-Mau table, or at this one of several."""
    caller.send("S")
    caller.see("[3] Mau-Mau")
    caller.send("3")
    if table:
        caller.see("Which table")
        caller.line(table)
    caller.see("(y/n)")
    caller.send("y")
    caller.see("Master:", "Round:")


def test_a_guest_cannot_be_written_to_and_has_no_profile(wire: Bbs) -> None:
    caller = wire.call().register("Writer")
    with WireClient(wire.wire_port) as client:
        client.greet("Egal")
        caller.send("x")
        caller.see("To:")
        caller.line("egal^")
        caller.see("Egal^ is a guest and cannot read messages.")
        caller.at_prompt()
        caller.send("p")
        caller.see("Whose profile?")
        caller.line("Egal^")
        caller.see("Egal^ is a guest and has no profile.")


def test_a_name_with_the_guests_mark_cannot_be_registered(wire: Bbs) -> None:
    caller = wire.call()
    caller.see("Name:")
    caller.line("Egal^")
    caller.wait(lambda: caller.text.count("Name:") > 1 or "may" in caller.text, "a refusal")
    assert "(y/n)" not in caller.text


def test_a_guest_is_kicked_and_its_address_banned(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=3) as bbs, clients(bbs, 3) as made:
        assert yawcctl(bbs.data, "kick", "p2^", "--reason", "enough").returncode == 0
        put_out(made[1], [made[0]], 2)
        assert yawcctl(bbs.data, "kick", "p2^", "--reason", "enough").returncode != 0
        assert yawcctl(bbs.data, "ban", "127.0.0.7", "--for", "1h", "--reason", "enough").returncode == 0
        with WireClient(bbs.wire_port, "127.0.0.7") as banned:
            banned.ended()
            assert banned.received == b""
        assert yawcctl(bbs.data, "ban", "127.0.0.1", "--for", "1h", "--reason", "all of them").returncode == 0
        made[0].ended()
        made[2].ended()


# --- who is killed ----------------------------------------------------------------------------------------------------


def sessions(bbs: Bbs) -> list[psutil.Process]:
    """The sessions' processes, in the order in which they came."""
    return sorted(serving(bbs.process.pid), key=lambda one: behind(bbs.process.pid, one.pid))


def session_of(bbs: Bbs, client: WireClient) -> psutil.Process:
    """Return the session of a client who has a seat, by the log: nobody waits until there are spares again."""
    (pid,) = re.findall(rf"\[(\d+)\] wire client \S+ from \S+ has seat {client.id} ", bbs.log.read_text())
    return psutil.Process(int(pid))


def test_a_killed_session_is_a_leaving(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", players=3) as bbs, clients(bbs, 3) as made:
        before = [len(client.messages) for client in made]
        sessions(bbs)[0].kill()
        for client, since in list(zip(made, before, strict=True))[1:]:
            assert client.wait(messages.Yeeted) == messages.Yeeted(1)
            assert messages.OnTurn(2) in client.block(since)
        made[0].ended()


def test_a_stopped_session_harms_nobody(tmp_path: Path) -> None:
    """Its clock is served by the others, a tick late, with the forced move."""
    with (
        a_bbs(tmp_path / "data", turn=1) as bbs,
        WireClient(bbs.wire_port) as stopped,
        WireClient(bbs.wire_port) as other,
    ):
        session = session_of(bbs, stopped.greet())
        other.greet()
        for client in (stopped, other):
            client.block()
        before = len(other.messages)
        session.send_signal(signal.SIGSTOP)
        other.wait(messages.Time, before)
        assert not any(isinstance(one, messages.Yeeted) for one in other.messages)
        session.send_signal(signal.SIGCONT)
        stopped.wait(messages.Time, before)


def test_upgrade_and_death_of_the_listener_disturb_no_game(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs, clients(bbs, 2) as made:
        bbs.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: "upgrade: this is version" in bbs.log.read_text(), "the upgrade")
        with WireClient(bbs.wire_port) as late:
            late.send(messages.Id("late"))
            late.ended()
        kill_listener(bbs)
        bbs.start()
        play_out(made)
        assert greeted(bbs.wire_port)


def play_out(made: list[WireClient]) -> None:
    """Play to the end of the game."""
    rng = Random(2)
    while any(known(client).expects != "closed" for client in made):
        for client in made:
            if known(client).is_mine:
                step(client, rng)
            elif client.is_open:
                client.read(0.01)
    for client in made:
        client.ended()


def step(client: WireClient, rng: Random) -> None:
    """Act, and wait for the mirror."""
    before = len(client.messages)
    act(client, rng)
    client.until(lambda: len(client.messages) > before, "the mirror")


def test_the_bbs_closes_and_all_clients_with_it(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs, clients(bbs, 2) as made:
        assert bbs.stop() == 0
        for client in made:
            client.ended()
            assert client.messages[-1] == messages.Yeeted(client.id)


# --- several tables, and nobody else ----------------------------------------------------------------------------------


def test_who_waits_in_vain_is_let_go_and_the_seat_is_free(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", wait=0.3) as bbs:
        for _ in range(2):
            with WireClient(bbs.wire_port) as lone:
                assert lone.greet().id == 1
                lone.ended()
                assert lone.messages[-1] == messages.Yeeted(1)
        assert "no game began in time" in bbs.log.read_text()


def test_who_plays_or_sits_with_a_person_is_not_let_go(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data") as bbs:
        with WireClient(bbs.wire_port) as patient:  # for ever, however long it takes until the next one calls
            patient.greet()
            (tmp_path / "data.toml").write_text(bbs.config.replace("wait_seconds = 0", "wait_seconds = 1.5"))
            bbs.process.send_signal(signal.SIGHUP)
            wait_until(lambda: "configuration read again" in bbs.log.read_text(), "the reload")
            with WireClient(bbs.wire_port) as other:
                other.greet().block()
                assert not other.read(2)
                assert other.is_open
        anna = bbs.call().register("Anna")
        sit_at_maumau(anna)
        with WireClient(bbs.wire_port) as guest:
            guest.greet("Egal")
            anna.hear("Egal^ sits down")
            assert not guest.read(2)
            assert guest.is_open


def test_guests_meet_though_others_are_about_to_leave(tmp_path: Path) -> None:
    """The second one came when the first table had as many people, all of them leaving."""
    with (
        a_bbs(tmp_path / "data", tables=2) as bbs,
        clients(bbs, 2) as (leaving, stopped),
        WireClient(bbs.wire_port) as first,
    ):
        assert first.greet().id == 1
        sessions(bbs)[1].send_signal(signal.SIGSTOP)
        leaving.send(messages.Yeet())
        leaving.ended()
        wait_until(
            lambda: "'Egal^' from 127.0.0.1 has seat 1 of table maumau 2" in bbs.log.read_text(), "the second table"
        )
        with WireClient(bbs.wire_port) as second:
            assert second.greet().id == 2
            first.block()
            second.block()
        assert not stopped.read(0)  # it hears when it goes on
        sessions(bbs)[1].send_signal(signal.SIGCONT)


def test_who_is_alone_goes_to_where_others_wait(tmp_path: Path) -> None:
    with a_bbs(tmp_path / "data", tables=2) as bbs:
        anna, bert = (bbs.call().register(name) for name in ("Anna", "Bert"))
        for caller in (anna, bert):
            sit_at_maumau(caller, "1")
        anna.send("s\r")
        bert.hear("Round 1 of 1")
        with WireClient(bbs.wire_port) as guest:
            assert guest.greet().id == 1
            anna.send("xy")
            anna.at_prompt()
            bert.hear("Egal^ sits down")
            bert.see("[S] Start a game")
            bert.send("s\r")
            assert guest.wait(messages.Cards).counts == (7, 6)
            assert guest.block()[-2] == messages.OnTurn(1)
