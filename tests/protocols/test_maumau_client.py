"""The pure client of the protocol: it knows what the server's rules say, and no server confuses it."""

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.engine.adapters import pick_maumau
from tests.engine.stacked import dealing
from tests.thoroughness import sampled
from yawc_poker.cards import Card, Rank, Suit
from yawc_poker.catalogues import words
from yawc_poker.extras.maumau_wire.client.bot import patience
from yawc_poker.extras.maumau_wire.client.person import TerminalPlayer
from yawc_poker.extras.maumau_wire.protocol import messages
from yawc_poker.extras.maumau_wire.protocol.client import Confused, Known, choices, hear, view
from yawc_poker.extras.maumau_wire.protocol.codec import encode, server_reader
from yawc_poker.extras.maumau_wire.protocol.messages import FromServer
from yawc_poker.extras.maumau_wire.protocol.server import ClientProgress, tell
from yawc_poker.games.maumau import model, rules
from yawc_poker.games.maumau.model import Options, State
from yawc_poker.games.maumau.ui.screen import FACE

COLUMNS, ROWS = 80, 24
H9, CJ, DQ = Card(Rank.NINE, Suit.HEARTS), Card(Rank.JACK, Suit.CLUBS), Card(Rank.QUEEN, Suit.DIAMONDS)


def pick(known: Known, rng: Random) -> model.Move:
    """Choose any of the legal moves."""
    return pick_maumau(rng.choice(choices(known)), rng)


def shifted(message: FromServer, base: int) -> FromServer:
    """Count ids from `base`, as the server of the protocol's author does from 0."""
    match message:
        case messages.Answer(number):
            return messages.Answer(number - 1 + base)
        case messages.OnTurn(number):
            return messages.OnTurn(number - 1 + base)
        case messages.Yeeted(number):
            return messages.Yeeted(number - 1 + base)
    return message


class Client:
    """The server's side and the client's side of one connection, with bytes between them."""

    def __init__(self, seat: int, base: int = 1) -> None:
        self.seat = seat
        self.base = base
        self.told = ClientProgress()
        self.reader = server_reader()
        self.known = Known()
        self.person = TerminalPlayer("Anna", words("de"))
        self.events: list[object] = []
        self.take(encode(shifted(messages.Answer(seat + 1), base)))

    def look(self, state: State) -> None:
        self.told, new = tell(self.told, rules.view(state, self.seat), 30000)
        self.take(b"".join(encode(shifted(message, self.base)) for message in new))

    def take(self, data: bytes) -> None:
        for message in self.reader.receive(data):
            self.known, events = hear(self.known, message)
            self.events += events
            self.person.hear(message, 0.0)
        FACE.layout.render(self.person.scene(1.0), self.person.local, words("de"), COLUMNS, ROWS)


def moves(
    seats: tuple[int, ...], seed: int, rounds: int, leaving: float, base: int = 1
) -> Iterator[tuple[State, dict[int, Client]]]:
    """Yield the states of random games; `leaving` is the chance of each step that somebody leaves."""
    rng = Random(seed)
    clients = {seat: Client(seat, base) for seat in seats}
    state = rules.deal(dict.fromkeys(seats, 0), seats[0], dealing(rules, rng), Options(rounds)).state
    while True:
        for client in clients.values():
            client.look(state)
        yield state, clients
        seat = rules.to_move(state)
        if seat is None:
            return
        if rng.random() < leaving:
            gone = rng.choice(list(clients))
            state = rules.leave(state, gone).state
            clients.pop(gone)
            continue
        state = rules.play(state, seat, pick(clients[seat].known, rng), rng).state


@settings(max_examples=sampled(15))
@given(
    st.sampled_from([(0, 1), (0, 1, 2), (0, 2, 4), (1, 3), (0, 1, 2, 3), (0, 1, 2, 3, 4)]),
    st.integers(0, 2**32),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.02]),
    st.sampled_from([1, 1, 0]),
)
def test_a_client_knows_what_the_rules_say(
    seats: tuple[int, ...], seed: int, rounds: int, leaving: float, base: int
) -> None:
    for state, clients in moves(seats, seed, rounds, leaving, base):
        for seat, client in clients.items():
            known = client.known
            assert choices(known) == rules.legal_moves(state, seat)
            seen = view(known)
            assert seen is not None
            true = rules.view(state, seat)
            assert (seen.hand, seen.round, seen.rounds) == (true.hand, true.round, true.rounds)
            assert seen.taken == true.taken
            assert known.base == base
            if not rules.is_over(state):
                assert (seen.top, seen.current, seen.penalty, seen.suit) == (
                    true.top,
                    true.current,
                    true.penalty,
                    true.suit,
                )
                assert seen.must_wish == (true.must_wish and known.is_mine)
                if leaving == 0:
                    assert seen.stock == true.stock
            else:
                totals = dict(zip(state.seats, (player.total for player in state.players), strict=True))
                assert known.expects == "closed"
                assert {place: known.totals[place] for place in totals} == totals


@settings(max_examples=sampled(10))
@given(st.integers(2, 5), st.integers(0, 2**32))
def test_a_client_that_looks_only_at_its_turns_is_told_everything(players: int, seed: int) -> None:
    seats = tuple(range(players))
    late = Client(seats[-1])
    for state, clients in moves(seats, seed, 2, 0.0):
        if rules.to_move(state) in {None, late.seat}:
            late.look(state)
            assert late.known == clients[late.seat].known
            assert late.events == clients[late.seat].events


def test_what_happens_is_told_in_words() -> None:
    *_, (state, clients) = moves((0, 1, 2), 7, 2, 0.0)
    kinds = {type(event) for event in clients[0].events}
    assert {model.RoundBegins, model.Played, model.Took, model.RoundOver, model.Scored, model.Lost} <= kinds
    screen = FACE.layout.render(clients[0].person.scene(0.0), clients[0].person.local, words("de"), COLUMNS, ROWS)
    assert any("Spieler 2" in row.text for row in screen.rows)
    assert rules.is_over(state)


def test_a_server_that_deals_the_whole_hand_is_understood() -> None:
    told = [*BEGIN, *block((2, 2), 1, stack=DQ)]
    assert heard(told).is_mine
    told += [messages.Draw(1), messages.Deal((H9, CJ, DQ)), *block((3, 2), 1)]
    assert heard(told).hand == (H9, CJ, DQ)


def heard(told: list[FromServer]) -> Known:
    known = Known()
    for message in told:
        known, _ = hear(known, message)
    return known


def block(counts: tuple[int, ...], number: int, stack: Card | None = None) -> list[FromServer]:
    top = [] if stack is None else [messages.Stack(stack)]
    return [
        messages.Draw(0),
        messages.WishIs(None),
        *top,
        messages.Cards(counts),
        messages.OnTurn(number),
        messages.Time(0),
    ]


BEGIN: list[FromServer] = [messages.Answer(1), messages.Round(1, 1), messages.Deal((H9, CJ))]


@pytest.mark.parametrize(
    "told",
    [
        [messages.Answer(0), messages.Answer(0)],
        [messages.Round(1, 4)],
        [messages.Answer(1), messages.Played(H9)],
        [messages.Answer(1), messages.Round(2, 1)],
        [*BEGIN, *block((3, 2), 1, DQ)],
        [*BEGIN, *block((2, 2), 3, DQ)],
        [*BEGIN, *block((2, 2), 1)],
        [*BEGIN, messages.Time(0)],
        [*BEGIN, *block((2, 2), 1, DQ), messages.Played(DQ)],
        [*BEGIN, *block((2, 2), 1, DQ), messages.WishIs(None)],
        [*BEGIN, *block((2, 2), 2, DQ), messages.Played(H9), messages.Deal((DQ,))],
        [*BEGIN, *block((2, 2), 1, DQ), messages.Result((0, 0, 0))],
        [*BEGIN, messages.Yeeted(0)],
        [messages.Answer(1), messages.Result((143, 0))],
    ],
)
def test_an_impossible_message_is_not_believed(told: list[FromServer]) -> None:
    with pytest.raises(Confused):
        heard(told)


CARDS = st.builds(Card, st.sampled_from(model.RANKS), st.sampled_from(Suit))
MESSAGES: st.SearchStrategy[FromServer] = st.one_of(
    st.builds(messages.Round, st.integers(0, 3), st.integers(0, 3)),
    st.builds(messages.Deal, st.lists(CARDS, min_size=1, max_size=8).map(tuple)),
    st.builds(messages.Draw, st.integers(0, 9)),
    st.builds(messages.WishIs, st.none() | st.sampled_from(Suit)),
    st.builds(messages.Stack, CARDS),
    st.builds(messages.Cards, st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)),
    st.builds(messages.OnTurn, st.integers(0, 4)),
    st.builds(messages.Time, st.sampled_from([0, 1, 30000, 2**63 - 1])),
    st.builds(messages.Played, CARDS),
    st.just(messages.Finished()),
    st.builds(messages.Result, st.lists(st.integers(0, 255), min_size=1, max_size=4).map(tuple)),
    st.builds(messages.Yeeted, st.integers(0, 4)),
)


@settings(max_examples=sampled(300))
@given(st.integers(0, 9), st.lists(MESSAGES, max_size=30), st.text("x.t f1+", max_size=5))
@example(3, [messages.Stack(DQ), messages.Cards((0, 0, 0, 0)), messages.Result((0, 0, 0, 0))], "")
def test_no_server_makes_the_client_stumble(begun: int, told: list[FromServer], typed: str) -> None:
    player = TerminalPlayer("Anna", words("en"))
    begin = [*BEGIN, *block((2, 2), 1, DQ)]
    try:
        for message in (*begin[:begun], *told):
            player.hear(message, 0.0)
            FACE.layout.render(player.scene(1.0), player.local, words("en"), COLUMNS, ROWS)
            if player.known.is_mine:
                assert choices(player.known) or not player.known.hand
            for key in typed:
                player.press(key, 1.0)
    except Confused:
        pass


def test_no_chat_is_offered_by_the_wire() -> None:
    player = TerminalPlayer("Anna", words("en"))
    for message in (*BEGIN, *block((2, 2), 1, DQ)):
        player.hear(message, 0.0)
    player.press(".", 1.0)
    assert player.local.mode == "menu"
    frame = FACE.layout.render(player.scene(1.0), player.local, words("en"), COLUMNS, ROWS)
    text = "\n".join(row.text for row in frame.rows)
    assert "[X] Leave the table" in text
    assert "[.]" not in text


@pytest.mark.parametrize(
    ("known", "seconds"),
    [
        (Known(), 60),
        (Known("round"), None),  # others may take long
        (Known("round", turn=3), 60),
        (Known("move", milliseconds=0), None),
        (Known("move", milliseconds=90_000), 150),
        (Known("mirrored", milliseconds=90_000), 60),
    ],
)
def test_a_bot_waits_as_long_as_the_games_clock_lets_others_think(known: Known, seconds: float | None) -> None:
    assert patience(known) == seconds


def test_the_first_turn_shows_from_where_ids_are_counted() -> None:
    """The id 1 is the first player's or the second's; the player with one card more is on turn."""
    hand = (H9, CJ, DQ, *(Card(Rank.SEVEN, suit) for suit in Suit))
    told: list[FromServer] = [messages.Answer(1), messages.Round(1, 1), messages.Deal(hand)]
    ours = heard([*told, *block((7, 6), 1, stack=Card(Rank.KING, Suit.CLUBS))])
    assert (ours.place, ours.base, ours.is_mine) == (0, 1, True)
    theirs = heard([*told, *block((6, 7), 1, stack=Card(Rank.KING, Suit.CLUBS))])
    assert (theirs.place, theirs.base, theirs.is_mine) == (1, 0, True)
    assert heard([messages.Answer(0)]).place == 0
