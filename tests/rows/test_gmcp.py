"""What clients for MUDs are told of a table by GMCP: what their caller sees, nothing else; and what they may say."""

import json
from collections.abc import Callable
from itertools import chain
from random import Random
from typing import cast

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.test_conformance import Company
from tests.rows.test_rows import (
    DOPPELKOPF,
    MAUMAU,
    OFFIZIERSSKAT,
    POKER,
    Subject,
    hidden_at_maumau,
    hidden_at_offiziersskat,
    hidden_at_poker,
)
from tests.thoroughness import SOAK
from yawc_poker.cards import Card
from yawc_poker.catalogues import words
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import AWAY, AnyTable, seat_of, seated
from yawc_poker.extras.gmcp.messages import GONE, GameHand, GameTable, GameTurn, Told, news, wants
from yawc_poker.games.doppelkopf import model as doppelkopf
from yawc_poker.registry.games import GAMES
from yawc_poker.table_ui.scene import ONLOOKER, LocalT
from yawc_poker.table_ui.speech import card_name

SPOKEN = words("en", spoken=True)


class Client:
    """Somebody whose client is told of a table."""

    def __init__(self, company: Company[StateT, MoveT, EventT, OptionsT], session: int) -> None:
        self.session, self.told = session, Told()
        self.game = next(game.definition for game in GAMES if game.kind == company.game.KIND)
        self.local = self.game.face.fresh(company.adapter.options)
        self.hand, self.turn, self.table = GameHand(), GameTurn(), GameTable()
        """What the newest messages say."""

    def look(self, company: Company[StateT, MoveT, EventT, OptionsT]) -> str:
        """Return the messages that say what is new, one a line."""
        table = cast(AnyTable, company.table)
        scene = self.game.face.scene(table, self.session, 0, company.now)
        self.local = self.game.face.follow(self.local, scene)
        self.told, messages = news(self.told, self.game, table, self.session, scene, self.local, SPOKEN)
        for message in messages:
            name, _, body = message.partition(b" ")
            match name:
                case b"Game.Hand":
                    self.hand = msgspec.json.decode(body, type=GameHand)
                case b"Game.Turn":
                    self.turn = msgspec.json.decode(body, type=GameTurn)
                case _:
                    self.table = msgspec.json.decode(body, type=GameTable)
        return "\n".join(message.decode() for message in messages)


def hidden_at_doppelkopf(state: doppelkopf.State, seat: int | None) -> set[Card]:
    """The cards of others of which neither lies open, nor is one's own: each is there twice."""
    rounds = (state.round.trick, *(trick.cards for trick in state.round.tricks))
    former = () if state.round.former is None else state.round.former.cards
    own = () if seat is None or seat >= len(state.players) else state.players[seat].hand
    others = (one.hand for place, one in enumerate(state.players) if place != seat)
    return set(chain(*others)) - {*own, *former, *chain(*rounds)}


ANEW = ('"event":"RoundBegins"', '"event":"Reshuffled"')
"""Behind them cards that lay open are hidden again."""
TESTED = [
    pytest.param(POKER, hidden_at_poker, id="poker"),
    pytest.param(MAUMAU, hidden_at_maumau, id="maumau"),
    pytest.param(DOPPELKOPF, hidden_at_doppelkopf, id="doppelkopf"),
    pytest.param(OFFIZIERSSKAT, hidden_at_offiziersskat, id="offiziersskat"),
]


@pytest.mark.parametrize(("game", "hidden"), TESTED)
def test_hidden_cards_are_in_nobody_elses_messages(
    game: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], hidden: Callable[[StateT, int | None], set[Card]]
) -> None:
    told = hands = 0
    for seed in range(40 if SOAK else 4):
        company = Company(game.adapter, Random(seed))
        clients: dict[int, Client] = {}
        for _ in range(game.steps):
            (company.step if len(seated(company.table)) < company.game.FEWEST else company.go_on)()
            here = [who.session for who in company.table.seats if who is not None and who.session != AWAY]
            for session in (*here, ONLOOKER):
                client = clients.setdefault(session, Client(company, session))
                said, state = client.look(company), company.table.game
                if state is None or any(one in said for one in ANEW):
                    continue
                for card in hidden(state, seat_of(company.table, session)):
                    assert f'"{card}"' not in said, (card, said)
                    assert card_name(card, SPOKEN) not in said, (card, said)
                told += len(said)
                hands += bool(client.hand.cards)
    assert told > 10_000
    assert hands > 100


def test_a_seats_client_knows_table_turn_and_hand_and_is_told_nothing_twice() -> None:
    company = Company(POKER.adapter, Random(1))
    clients: dict[int, Client] = {}
    yours = bets = 0
    for _ in range(300):
        company.go_on() if len(seated(company.table)) > 2 else company.step()
        for seat in seated(company.table):
            who = company.table.seats[seat]
            assert who is not None
            if who.session == AWAY:
                continue
            client = clients.setdefault(who.session, Client(company, who.session))
            said = client.look(company)
            assert not client.look(company), "nothing has changed"
            table, state = client.table, company.table.game
            assert (table.game, table.seat, table.cubes) == ("poker", seat + 1, who.cash)
            assert table.pot == (None if state is None else company.table.pot)
            assert [one.seat - 1 for one in table.players] == list(seated(company.table))
            if state is not None:
                player = state.players[seat]
                cards = [] if player is None else sorted(map(str, player.hand))
                assert sorted(one.card for one in client.hand.cards) == cards
                assert client.turn.yours == (company.game.to_move(state) == seat)
                yours += client.turn.yours
                bets += '"event":"BetMade"' in said
    assert yours > 10
    assert bets > 10


def test_events_are_told_in_words_from_the_moment_the_client_comes() -> None:
    company = Company(POKER.adapter, Random(2))
    while not seated(company.table):
        company.step()
    late = Client(company, ONLOOKER)
    assert '"events":[]' in late.look(company)
    logged = company.table.logged
    while company.table.logged == logged:
        company.step()
    assert '"text":["' in late.look(company)
    assert [message.partition(b" ")[0] for message in GONE] == [b"Game.Table", b"Game.Turn", b"Game.Hand"]


# --- what clients say -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "before", "after"),
    [
        (b'Core.Hello { "client": "Mudlet", "version": "4.17" }', True, True),
        (b'Core.Supports.Set [ "Char 1", "Room 1" ]', True, False),
        (b'Core.Supports.Set ["Game 1"]', False, True),
        (b'core.supports.set ["game"]', False, True),
        (b'Core.Supports.Add ["Game.Hand 1"]', False, True),
        (b'Core.Supports.Add ["Char 1"]', False, False),
        (b'Core.Supports.Remove ["Game"]', True, False),
        (b'Core.Supports.Remove ["Char"]', True, True),
        (b'Core.Supports.Set {"Game": 1}', True, True),
        (b'Core.Supports.Set ["Game", 1]', False, False),
        (b"Core.Supports.Set " + b"[" * 480, True, True),
        (b'Core.Supports.Set ["\xff\xfe"]', True, True),
        (b"Core.Supports.Set", True, True),
        (b"", True, True),
        (b"\0" * 500, False, False),
    ],
)
def test_what_a_client_supports(said: bytes, before: bool, after: bool) -> None:
    assert wants(said, before) is after


@given(st.sampled_from([b"", b"Core.Supports.Set ", b"Core.Supports.Add ", b"Core.Supports.Remove "]), st.binary())
def test_any_bytes_are_taken(verb: bytes, body: bytes) -> None:
    wants(verb + body, before=True)


@given(st.lists(st.text()))
def test_any_names_are_taken(names: list[str]) -> None:
    wants(b"Core.Supports.Set " + json.dumps(names).encode(), before=True)
