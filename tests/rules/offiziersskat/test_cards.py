"""Cards, deal and trump (spec/offiziersskat.md 1 to 3; O1 to O4)."""

from collections import Counter
from hashlib import sha256
from itertools import pairwise

from tests.rules.offiziersskat.run import CASH, MATCH, RNG, begun, dealt_by, do, events, refused, seed_of, with_places
from yawc_poker.cards import Suit, card, cards, written
from yawc_poker.engine.game import Dealing
from yawc_poker.games.offiziersskat import rules
from yawc_poker.games.offiziersskat.model import CARDS, Covered, HandDealt, PlaceView, RoundBegins, TrickTaken
from yawc_poker.games.offiziersskat.progress import later_deal, open_cards
from yawc_poker.games.offiziersskat.trumps import drawn_trump, order_of
from yawc_poker.tricks import beats, colour, eyes

ORDER = " ".join(rules.DECK)


# --- 1. cards ---------------------------------------------------------------------------------------------------------


def test_thirty_two_cards_have_120_eyes() -> None:
    assert len(set(CARDS)) == 32
    assert eyes(CARDS) == 120
    worth = {"A+": 11, "10+": 10, "K+": 4, "Q+": 3, "J+": 2, "9+": 0, "8+": 0, "7+": 0}
    assert {text: eyes([card(text)]) for text in worth} == worth


def test_two_players_and_no_less() -> None:
    assert (rules.SEATS, rules.FEWEST, rules.players(CASH, MATCH)) == (2, 2, (0, 1))


# --- 2. deal ----------------------------------------------------------------------------------------------------------


def test_o1_every_open_card_lies_on_a_covered_one() -> None:
    step = rules.deal(CASH, 1, Dealing(ORDER, seed_of(Suit.HEARTS)), MATCH)
    hands = [HandDealt(seat, open_cards(player)) for seat, player in enumerate(step.state.players)]
    assert step.events == (RoundBegins(0, 1, Suit.HEARTS), *hands, Covered((CARDS[:8], CARDS[8:16])))
    assert (step.payments, step.state.master) == ((), 1)
    for seat, player in enumerate(step.state.players):
        assert [place.covered for place in player.places] == list(CARDS[8 * seat : 8 * seat + 8])
        assert open_cards(player) == CARDS[16 + 8 * seat : 24 + 8 * seat]


def test_o2_open_cards_are_seen_by_all_and_covered_cards_by_nobody() -> None:
    state = do(begun("A+", "10*"), 0, "A+")
    for seat in (0, 1, None):
        view = rules.view(state, seat)
        for player, shown in zip(state.players, view.players, strict=True):
            assert [place.open for place in shown.places] == [place.open for place in player.places]
            assert [place.covered for place in shown.places] == [True] * 8
        assert view.players[0].places[0] == PlaceView(None, True)
        hidden = {place.covered for player in state.players for place in player.places}
        assert set(view.unseen) == hidden
    assert rules.concealed(Covered((CARDS[:8], CARDS[8:16]))) == Covered(None)


def test_o2_the_owner_cannot_play_a_covered_card() -> None:
    state = begun("A+", covered=("7#", ""))
    assert refused(state, 0, "7#") == ("not_held", {})


def test_o3_cards_are_turned_up_after_the_trick() -> None:
    state = with_places(begun(), "A+/7- 9*/8*", "10+/K# 9+ 8#/7#")
    state = do(state, 0, "A+")
    assert rules.view(state, 0).players[0].places[0] == PlaceView(None, True), "nothing is turned up yet"
    log = events(state, 1, "10+")
    assert log[1] == TrickTaken(0, 1, 21, (card("7-"), card("K#")))
    state = do(state, 1, "10+")
    assert open_cards(state.players[0]) == cards("7- 9*")
    assert open_cards(state.players[1]) == cards("K# 9+ 8#")
    state = do(state, 0, "7-")
    assert events(state, 1, "9+")[1] == TrickTaken(0, 2, 0, (None, None)), "nothing is covered there any more"


# --- 3. trump ---------------------------------------------------------------------------------------------------------


def test_o4_an_eighth_of_all_rounds_is_grand() -> None:
    """A card is drawn: 7 of 32 for each suit, the jacks for Grand. The seeds are fixed, and so are the numbers."""
    drawn = Counter(drawn_trump(f"{seed:x}", 1) for seed in range(3200))
    assert abs(drawn[None] - 400) < 60
    assert all(abs(drawn[suit] - 700) < 75 for suit in Suit)


def test_o4_the_trump_is_the_suit_of_the_card_that_the_seed_draws() -> None:
    for number in range(1, 60):
        assert drawn_trump("5eed", number) == _by_hand("5eed", number)
    assert {drawn_trump("5eed", number) for number in range(1, 60)} == {None, *Suit}


def _by_hand(seed: str, number: int) -> Suit | None:
    """The first card of a deck that is put in order as docs/fairness.md says, with `SEED trump ROUND` as the key."""
    found = card(_in_order(f"{seed} trump {number}")[0])
    return None if str(found).startswith("J") else found.suit


def _in_order(key: str) -> list[str]:
    deck, n = [rank + suit for rank in ["7", "8", "9", "10", "J", "Q", "K", "A"] for suit in "-#*+"], 0
    for last in range(31, 0, -1):
        number = 65536
        while number >= 65536 - 65536 % (last + 1):
            number, n = int(sha256(f"{key} {n}".encode()).hexdigest()[:4], 16), n + 1
        other = number % (last + 1)
        deck[last], deck[other] = deck[other], deck[last]
    return deck


def test_the_trump_tells_nothing_about_the_cards() -> None:
    orders = ORDER, " ".join(reversed(ORDER.split()))
    one, other = (rules.deal(CASH, 0, Dealing(order, "5eed"), MATCH).state for order in orders)
    assert one.players != other.players
    assert one.round.trump == other.round.trump


def test_later_rounds_are_dealt_as_the_seed_says() -> None:
    assert written(later_deal("5eed", 2)) == " ".join(_in_order("5eed 2"))
    assert later_deal("5eed", 2) != later_deal("5eed", 3) != later_deal("5eee", 3)


def test_trumps_of_a_suit_game_and_of_grand() -> None:
    assert written(order_of(Suit.SPADES).trumps) == "J+ J* J# J- A* 10* K* Q* 9* 8* 7*"
    assert written(order_of(None).trumps) == "J+ J* J# J-"
    assert colour(order_of(Suit.SPADES), card("J#")) is None
    assert colour(order_of(None), card("A*")) == Suit.SPADES


def test_the_order_inside_a_suit() -> None:
    down = cards("A# 10# K# Q# 9# 8# 7#")
    for order in (order_of(Suit.HEARTS), order_of(None)):
        assert all(beats(order, higher, lower) for higher, lower in pairwise(down))


# --- hands ------------------------------------------------------------------------------------------------------------


def test_the_hands_of_a_round_are_its_sixteen_cards_whatever_was_played() -> None:
    state = dealt_by(1)
    first = rules.hands(state)
    assert sorted(cards(" ".join(first.values()))) == sorted(CARDS)
    assert {len(hand.split()) for hand in first.values()} == {16}
    later = state
    for _ in range(31):
        later = rules.timeout(later, RNG).state
        assert rules.hands(later) == first
        assert rules.hands(later, state) == {}
    over = rules.timeout(later, RNG).state
    assert rules.hands(over, later) == rules.hands(over) != first
