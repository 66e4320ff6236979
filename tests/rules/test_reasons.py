"""Why a move is better: a position for each rule of thumb, and the words for it in every language."""

import pytest

from tests.rules.doppelkopf_run import begun, call, healthy, laid, said
from tests.rules.maumau_states import table
from tests.rules.test_doppelkopf_player import STRONG
from tests.rules.test_offiziersskat_player import ending
from tests.rules.test_poker_player import held
from yawc_poker.cards import Suit, card
from yawc_poker.catalogues import words
from yawc_poker.engine.house import SealedChance
from yawc_poker.games.doppelkopf import model as doppelkopf
from yawc_poker.games.doppelkopf import rules as doppelkopf_rules
from yawc_poker.games.doppelkopf.player.choose import HOUSE as DOPPELKOPF
from yawc_poker.games.doppelkopf.ui import reasons as doppelkopf_reasons
from yawc_poker.games.maumau import model as maumau
from yawc_poker.games.maumau import rules as maumau_rules
from yawc_poker.games.maumau.ui import reasons as maumau_reasons
from yawc_poker.games.offiziersskat import model as offiziersskat
from yawc_poker.games.offiziersskat import rules as offiziersskat_rules
from yawc_poker.games.offiziersskat.ui import reasons as offiziersskat_reasons
from yawc_poker.games.poker.model import Bet, Fold, Swap, View
from yawc_poker.games.poker.model import Move as PokerMove
from yawc_poker.games.poker.ui import reasons as poker_reasons
from yawc_poker.table_ui.narrative import Reason
from yawc_poker.words import LANGUAGES

WEAK = "9+ 9+ 9* 9* 9# 9# 9- 9- K+ K* K# K-"
CHANCE = "a seed"
MANY = "8- 10- Q- K- A- 8# 10# Q# K# A# J# J-"
FEW_CLUBS = "9+ K+ Q+ 8+ 10+ 7+ 9*"


def told(found: Reason | None) -> str:
    """Return a reason in English; it can be told in every language."""
    assert found is not None
    texts = {one: words(one)(found.text, mine="<mine>", choice="<choice>", **found.facts) for one in LANGUAGES}
    assert len(set(texts.values())) == len(LANGUAGES), texts
    return texts["en"]


# --- Mau-Mau ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "mine", "choice", "why"),
    [
        (table("7+ 9* K+", "8* 9#", top="9+"), "K+", "7+", "Cards left in the next hand: 2. Now a seven"),
        (table("J+ 9* K+", "8* 9#", top="9+"), "J+", "K+", "A jack fits on every card"),
        (table("J+ 9* K+", "8* 9#", top="9+"), "9*", "J+", "A jack stops"),
        (table("A+ 9* K+", "8* 9#", top="9+"), "K+", "A+", "an ace gives you another turn"),
        (table(FEW_CLUBS, "8* 10* J#", top="9-"), "9*", "9+", "The next player can answer <mine>"),
        (table("9+ 9* 8* K*", MANY, top="9-"), "9+", "9*", "Cards of your hand that fit on <choice>: 3; on <mine>: 1"),
        (table("10+ 8+", MANY, top="K+"), "8+", "10+", "What is left in the hand counts against you"),
    ],
)
def test_maumau_cards(state: maumau.State, mine: str, choice: str, why: str) -> None:
    moves = maumau.PlayCard(card(mine)), maumau.PlayCard(card(choice))
    assert why in told(maumau_reasons.reason(maumau_rules.view(state, 0), *moves, SealedChance(CHANCE)))


@pytest.mark.parametrize(
    ("hand", "other", "why"),
    [(FEW_CLUBS, "8* 10*", "The next player can answer"), ("9+ 8+ 7* Q#", MANY, "Your cards of that suit: 2 of")],
)
def test_maumau_wishes(hand: str, other: str, why: str) -> None:
    view = maumau_rules.view(table(hand, other, top="J*"), 0)
    found = maumau_reasons.reason(view, maumau.Wish(Suit.SPADES), maumau.Wish(Suit.CLUBS), SealedChance(CHANCE))
    assert why in told(found)


def test_a_seven_that_is_kept_from_a_long_hand_has_another_reason() -> None:
    view = maumau_rules.view(table("7+ 9* K+", "8* 9# Q+", top="9+"), 0)
    moves = maumau.PlayCard(card("K+")), maumau.PlayCard(card("7+"))
    found = maumau_reasons.reason(view, *moves, SealedChance(CHANCE))
    assert found is None or "seven" not in found.text


# --- Offiziersskat ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "mine", "choice", "why"),
    [
        (ending("10# 7*", "A# 8*"), "10#", "7*", "A ten was led while the ace"),
        (ending("A# 7* 9-", "10# 8# 8*"), "A#", "7*", "An ace is kept for the ten of its suit"),
        (ending("A# 7*", "8* 9#"), "7*", "A#", "No open card of the other side takes <choice>"),
        (ending("K# 7#", "A# 9#"), "K#", "7#", "The trick may be lost: <mine> gives it 4 eyes, <choice> 0"),
        (ending("9- 8*", "7* 8-"), "8*", "9-", "Trumps are drawn first, so that they take nothing later: 1"),
        (ending("9- 8*", "7* 8-"), "9-", "8*", "A trump takes a rich trick later"),
        (ending("9* A#", "7* 8#"), "9*", "A#", "Both can take the trick: <choice> brings 11 eyes"),
        (ending("A# 7#", "8*", "10#"), "7#", "A#", "The trick was there to be taken: 21 eyes"),
        (ending("A# 7#", "9*", "8#"), "A#", "7#", "<mine> is too good for a trick of 0 eyes"),
        (ending("10# 7#", "9*", "A#"), "10#", "7#", "The trick may be lost: <mine> gives it 10 eyes"),
        (ending("10# A#", "9*", "K#"), "10#", "A#", "Both can take the trick: <choice> brings 11 eyes"),
        (ending("10# A#", "9*", "K#"), "A#", "10#", "<choice> takes the trick, too"),
    ],
)
def test_offiziersskat_cards(state: offiziersskat.State, mine: str, choice: str, why: str) -> None:
    moves = offiziersskat.PlayCard(card(mine)), offiziersskat.PlayCard(card(choice))
    assert why in told(offiziersskat_reasons.reason(offiziersskat_rules.view(state, 0), *moves, SealedChance(CHANCE)))


# --- Doppelkopf -------------------------------------------------------------------------------------------------------

LEADS = "A+ 10# 10# Q+ J- J- 9- 9- K- 9* K* K#"
TENS = "10+ 10* K+ K* 9# 9# 10- J- J# Q- Q# Q*"
CLUBS = "A+ A+ 10+ K+ K+ 9+ J- J- 9- A- 9* K*"
LAST = "A- J- 9- 9- K* 9* 9* K# 9# 9# K- J#"
PARTNER = "Q+ A- 9- J# K* 9* 9* K# 9# 9# 9+ K+"


def opened(*hands: str, trick: str = "", re: int | None = None) -> doppelkopf.State:
    """Return a round that is played, this seat having announced Re."""
    state = healthy(begun(*hands))
    return laid(state if re is None else call(state, re, "re"), trick)


CAUGHT = opened("", "Q+ 10#", "A- J- 9+ 9+ K+ 9* 9* K* 9# 9# K# K#", "Q+", trick="10#", re=1)
RICH = opened(LAST, "A+ 10* Q+", "10+ A*", "10+ A# Q+", trick="A+ 10+ 10+")
POOR = opened(LAST, "9+ 10* Q+", "9+ A*", "K+ A# Q+", trick="9+ 9+ K+")
OURS = opened(PARTNER, "J-", "9-", "Q+ Q*", trick="J- 9- Q*", re=3)
SECOND = opened("", "J- Q+", "J# 10# K- 9- A* A* 9* K* K# K# 9# 9#", "Q+", trick="J-")


@pytest.mark.parametrize(
    ("state", "mine", "choice", "why"),
    [
        (opened("", LEADS), "9-", "A+", "An ace that is led later is trumped in"),
        (opened("", TENS), "10+", "K+", "A ten was led while others hold the ace"),
        (opened("", CLUBS), "A-", "9-", "A fox was led"),
        (opened("", CLUBS), "A+", "J-", "<mine> is trumped in"),
        (opened("", LEADS), "9*", "10#", "you hold 8 of the 26 that are left"),
        (CAUGHT, "A-", "J-", "A fox was thrown"),
        (OURS, "Q+", "9-", "The partner's trick was overtaken."),
        (OURS, "9-", "A-", "The partner has the trick: <choice> brings 11 eyes to it, <mine> 0"),
        (RICH, "9*", "A-", "The trick was there to be taken: 42 eyes"),
        (POOR, "J#", "9*", "<mine> is too good for a trick of 4 eyes"),
        (SECOND, "J#", "10#", "Others can beat <mine> in"),
        (CAUGHT, "K#", "9#", "The trick may be lost: <mine> gives it 4 eyes, <choice> 0"),
        (RICH, "9-", "A-", "Both can take the trick: <choice> brings 11 eyes"),
        (RICH, "J-", "9-", "<choice> does as well here"),
    ],
)
def test_doppelkopf_cards(state: doppelkopf.State, mine: str, choice: str, why: str) -> None:
    seat = doppelkopf_rules.to_move(state)
    moves = doppelkopf.PlayCard(card(mine)), doppelkopf.PlayCard(card(choice))
    assert why in told(doppelkopf_reasons.reason(doppelkopf_rules.view(state, seat), *moves, SealedChance(CHANCE)))


@pytest.mark.parametrize(
    ("mine", "choice", "why"),
    [
        (None, doppelkopf.Call("team"), "What is called and reached"),
        (doppelkopf.Call("team"), None, "What is called and not reached"),
        (doppelkopf.Healthy(), doppelkopf.Reserve(), "this hand is good enough"),
        (doppelkopf.Reserve(), doppelkopf.Healthy(), "this hand is not good enough"),
    ],
)
def test_doppelkopf_words(mine: doppelkopf.Move | None, choice: doppelkopf.Move | None, why: str) -> None:
    view = doppelkopf_rules.view(opened("", LEADS), 1)
    assert why in told(doppelkopf_reasons.reason(view, mine, choice, SealedChance(CHANCE)))


@pytest.mark.parametrize(("hand", "wants"), [(STRONG, 1), (WEAK, 0)])
def test_a_call_that_was_not_made_is_judged_at_its_last_moment(hand: str, wants: int) -> None:
    """While it may be made later, too, silence is no decision; and a call is judged as itself."""
    assert DOPPELKOPF.silence is not None
    state, judged = opened("", hand), 0
    while state.phase == "play" and not judged:
        seat = doppelkopf_rules.to_move(state)
        assert seat is not None
        view = doppelkopf_rules.view(state, seat)
        cards = next(one.cards for one in view.choices if isinstance(one, doppelkopf.MayPlay))
        move = doppelkopf.PlayCard(cards[0])
        found = DOPPELKOPF.silence(view, move, SealedChance(CHANCE), 100) if seat == 1 else None
        if found is not None:
            judged += 1
            least = next(one.least for one in view.choices if isinstance(one, doppelkopf.MayCall))
            assert len(view.hand or ()) == least < doppelkopf.HAND
            assert found.moves == (None, doppelkopf.Call("team"))
            assert found.choice == wants
            assert DOPPELKOPF.silence(view, doppelkopf.Call("team"), SealedChance(CHANCE), 100) is None
        state = doppelkopf_rules.play(state, seat, move, SealedChance("")).state
    assert judged


def test_a_solo_of_another_kind_is_judged_beside_the_best() -> None:
    assert DOPPELKOPF.weigh is not None
    hand = "A+ A* A# A- A- A# 10+ 10* 10# 10- K+ K*"
    state = said(begun("", hand), "!", "-", "-", "-")
    view = doppelkopf_rules.view(state, 1)
    found = DOPPELKOPF.weigh(view, doppelkopf.PlaySolo("jacks"), SealedChance(CHANCE), 100)
    assert found is not None
    assert (found.moves[1], found.choice) == (doppelkopf.PlaySolo("aces"), 1)
    assert DOPPELKOPF.weigh(view, doppelkopf.PlaySolo("aces"), SealedChance(CHANCE), 100) is None


def test_a_silent_wedding_is_judged_beside_a_wedding() -> None:
    assert DOPPELKOPF.weigh is not None
    view = doppelkopf_rules.view(begun("", "Q+ Q+ 9+ 9* 9# 9- K+ K* K# K- 10+ 10*"), 1)
    moves = doppelkopf.Healthy(), doppelkopf.Reserve()
    found = DOPPELKOPF.weigh(view, moves[0], SealedChance(CHANCE), 100)
    assert found is not None
    assert (found.moves, found.choice) == (moves, 1)
    assert sum(found.worths[1]) > sum(found.worths[0])
    assert "both queens of clubs" in told(doppelkopf_reasons.reason(view, *moves, SealedChance(CHANCE)))


# --- poker ------------------------------------------------------------------------------------------------------------

BETS = held("A+ A* 9- 7# 6+", low=20)
SWAPS = held("A+ A* 9- 7# 6+", number=2)


@pytest.mark.parametrize(
    ("view", "mine", "choice", "why"),
    [
        (BETS, Bet(20), Fold(), "20 for a pot of 20: for that one has to win in 50 of 100 cases."),
        (BETS, Fold(), Bet(20), "20 for a pot of 20: to win in 50 of 100 cases is enough"),
        (BETS, Bet(20), Bet(40), "Worse hands pay for a larger bet"),
        (BETS, Bet(40), Bet(20), "A large bet is mostly paid by better hands"),
        (BETS, Bet(20), Bet(20, see=True), "Who asks to see pays no more"),
        (BETS, Bet(20), Bet(40, see=True), "Who asks to see pays no more"),
        (BETS, Bet(20, see=True), Bet(20), "Who asks to see ends the bets"),
        (SWAPS, Swap((0, 1, 2)), Swap((2, 3, 4)), "A card was given away"),
        (SWAPS, Swap((2, 3)), Swap((2, 3, 4)), "Each card that belongs to nothing"),
    ],
)
def test_poker_moves(view: View, mine: PokerMove, choice: PokerMove, why: str) -> None:
    assert why in told(poker_reasons.reason(view, mine, choice, SealedChance(CHANCE)))
