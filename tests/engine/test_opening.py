"""A game that begins: frozen, revealed, dealt. Each clause of the proof in docs/fairness.md is a test here."""

from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.words import give_word, text_of
from tests.rules.table_run import CELL, CODEC, TableRun
from yawc_poker.engine import next_game, sealing
from yawc_poker.engine import opening as openings
from yawc_poker.engine import table as tables
from yawc_poker.engine.absence import hold, take_over
from yawc_poker.engine.events import (
    ByHandOver,
    Committed,
    DealtBy,
    Fixed,
    NotStarted,
    Sealed,
    Started,
    Unrevealed,
    WaitsForBank,
)
from yawc_poker.engine.game import Dealing, IllegalMove
from yawc_poker.engine.opening import (
    AGAIN_SECONDS,
    MOST_DISCARDED,
    SITS_OUT,
    owed,
    postponed,
    revealed,
    without_commitment,
)
from yawc_poker.engine.sealing import Custody, Deck, PlayerWord
from yawc_poker.engine.values import Change, Opening
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Event, Fold, Options, State


class Opened(TableRun):
    """A table whose games begin step by step."""

    def commits(self, name: str, text: str, custody: Custody = "session", *, told: bool = False) -> None:
        self._commit(give_word(self.table, self.session(name), text, self.now, self.clocks, custody, told=told))

    def freeze(self, name: str = "A") -> None:
        money = self.money()
        session = self.session(name)
        self.took(tables.start(self.table, POKER, session, money, self.rng, self.now, self.options, self.clocks))

    def took(self, change: Change[State, Event]) -> None:
        self._change(change)

    def reveal(self, name: str, text: str | None = None) -> None:
        session = self.session(name)
        mine = owed(self.table, session)
        said = text if text is not None else text_of(mine.hash) if mine is not None else "?"
        self.took(tables.reveal(self.table, POKER, session, said, self.money(), self.now, self.clocks))

    def draw_all(self) -> None:
        for who in self.table.seats:
            if who is not None and openings.owes_commitment(self.table, who.session):
                self.commits(who.name, sealing.drawn_text(self.rng))

    def freeze_is_over(self) -> None:
        """Everybody reveals."""
        for name in self.frozen:
            if self.table.opening is not None and owed(self.table, self.session(name)) is not None:
                self.reveal(name)
        assert self.running

    def play_out(self) -> None:
        while self.running:
            self.do(str(self.current), Fold())

    @property
    def opening(self) -> Opening:
        assert self.table.opening is not None
        return self.table.opening

    @property
    def stage(self) -> str:
        return self.opening.stage

    @property
    def frozen(self) -> str:
        return "".join(one.name for one in self.opening.frozen)

    def told(self, kind: type[object]) -> list[object]:
        return [event for event in self.events if isinstance(event, kind)]


def house_of(names: str, **cash: int) -> Opened:
    run = Opened()
    for name in names:
        run.sit(name, cash.get(name, 100))
    return run


def reason(run: Opened, ask: Callable[[], object]) -> str:
    before = run.table
    with pytest.raises(IllegalMove) as error:
        ask()
    assert run.table is before
    return error.value.reason


def withheld(names: str = "ABC", by: str = "C") -> Opened:
    """A start in which one has not revealed what is on a device of theirs, until the time is over."""
    run = house_of(names)
    run.commits(by, "mine/0123456789", "device")
    run.wait(run.clocks.pause)
    run.freeze()
    for name in names:
        if name != by:
            run.reveal(name)
    run.wait(run.clocks.reveal)
    return run


# --- how a game begins ------------------------------------------------------------------------------------------------


def test_a_start_freezes_and_the_last_text_deals() -> None:
    run = house_of("AB")
    run.freeze()
    assert run.table.game is None
    assert (run.frozen, run.stage, run.left) == ("AB", "reveal", run.clocks.reveal)
    assert run.told(Started) == run.told(DealtBy) == []
    assert run.cash == {"A": 100, "B": 100}, "no ante is taken before"
    run.reveal("B")
    assert run.table.game is None
    run.reveal("A")
    assert run.running
    assert run.table.opening is None
    assert run.cash == {"A": 90, "B": 90}
    assert run.told(Started) == [Started(0)]


def test_the_deal_follows_from_the_deck_and_all_texts() -> None:
    run = house_of("AB")
    assert run.table.next_deck is not None
    deck = run.table.next_deck.deck
    run.freeze()
    texts = tuple(PlayerWord(one.seat, text_of(one.hash)) for one in run.opening.frozen)
    run.reveal("A")
    run.reveal("B")
    (dealt,) = run.told(DealtBy)
    assert dealt == DealtBy(sealing.seal(deck), texts)
    cards = sealing.dealing(deck, texts).order.split()
    assert sorted(str(card) for card in run.hand("A")) == sorted(cards[:5])


def test_until_texts_are_revealed_the_table_has_their_hashes_only() -> None:
    """Its value lies in shared memory, which every session can read."""
    run = house_of("AB")
    secret = "anything/6f1d"
    run.commits("B", secret)
    run.wait(run.clocks.pause)
    run.freeze()
    for text in (secret, "6f1d"):
        assert text.encode() not in CODEC.encode(run.table)
    run.reveal("B")
    assert secret.encode() in CODEC.encode(run.table)


def test_nothing_that_decides_the_deal_can_be_changed_any_more() -> None:
    run = house_of("ABC")
    run.freeze()
    options, session = run.options, run.session("A")
    assert reason(run, lambda: run.commits("B", "late/1")) == "frozen"
    assert reason(run, run.freeze) == "frozen"

    def changed(now: Options) -> Options:
        return replace(now, ante=now.ante + 1)

    def choose() -> object:
        return next_game.choose(run.table, POKER, session, options, changed, run.now, run.clocks)

    assert reason(run, choose) == "frozen"


def test_somebody_who_sits_down_meanwhile_is_not_dealt_in() -> None:
    run = house_of("AB")
    run.freeze()
    run.sit("D")
    assert run.frozen == "AB"
    run.reveal("A")
    run.reveal("B")
    assert run.active == "AB"
    assert run.game.watchers == (2,)


@pytest.mark.parametrize("text", ["wrong/1", "", "x" * 65, "two words"])
def test_a_text_that_does_not_give_the_hash_counts_for_nothing(text: str) -> None:
    run = house_of("AB")
    run.freeze()
    assert reason(run, lambda: run.reveal("B", text)) == "wrong_text"
    assert not run.running


def test_there_is_nothing_to_reveal_twice_nor_without_a_start() -> None:
    run = house_of("AB")
    assert reason(run, lambda: run.reveal("A", "a")) == "nothing_to_reveal"
    run.freeze()
    text = text_of(run.opening.frozen[0].hash)
    run.reveal("A")
    assert reason(run, lambda: run.reveal("A", text)) == "nothing_to_reveal"


def test_the_bank_may_be_late() -> None:
    """The last text was revealed while the bank could not deal: it is dealt when the time is over."""
    run = house_of("AB")
    run.freeze()
    run.reveal("A")
    run._commit(openings.revealed(run.table, run.session("B"), text_of(run.opening.frozen[1].hash)))
    assert not run.running
    run.wait(run.clocks.reveal)
    assert run.running


# --- what players are committed to ------------------------------------------------------------------------------------


def test_the_hash_of_another_player_is_refused() -> None:
    run = house_of("AB")
    run.commits("A", "mine/1")
    assert reason(run, lambda: run.commits("B", "mine/1")) == "commitment_taken"
    run.commits("A", "mine/1")


@pytest.mark.parametrize("digest", ["", "f" * 63, "F" * 64, "g" * 64, "f" * 65])
def test_what_is_no_sha256_is_no_commitment(digest: str) -> None:
    run = house_of("AB")
    assert reason(run, lambda: openings.commit(run.table, 1, digest, "device", run.now, run.clocks)) == "bad_commitment"


def test_a_late_change_is_told_and_starts_the_pause_anew() -> None:
    run = house_of("AB")
    run.wait(run.clocks.pause)
    run.commits("A", "another/1")
    assert run.events[-1] == Committed(0, sealing.commitment("another/1"))
    assert reason(run, run.freeze) == "pause"
    run.wait(run.clocks.pause)
    run.freeze()


def test_the_first_one_that_a_session_draws_is_part_of_sitting_down() -> None:
    run = house_of("AB")
    assert run.told(Committed) == []
    run.freeze()


def test_one_by_hand_is_told_even_if_it_is_the_first() -> None:
    run = house_of("AB")
    run.table = without_commitment(run.table, 1)
    run.commits("B", "mine/1", "device", told=True)
    assert run.told(Committed) == [Committed(1, sealing.commitment("mine/1"))]
    assert reason(run, run.freeze) == "pause"


# --- the attack -------------------------------------------------------------------------------------------------------


def wanted(dealing: Dealing, seat: int, players: int) -> int:
    """How good a deal is for a seat: the aces among the cards that it is dealt."""
    cards = dealing.order.split()[: 5 * players]
    return sum(card.startswith("A") for card in cards[5 * seat : 5 * seat + 5])


@pytest.mark.parametrize("is_known", [False, True], ids=["as it is", "if a session told"])
def test_a_master_who_knows_the_deck_and_tries_400_words_gets_a_hand_that_nobody_chose(is_known: bool) -> None:
    """The house tells the master the deck. They read all that the table knows of the others, try words, and start.

    If the other's text were known before, as words once were, five of five games would be dealt as the master wants.
    """
    hits = 0
    for number in range(5):
        run = Opened(Random(number))
        for name in "AB":
            run.sit(name)
        assert run.table.next_deck is not None
        deck, (_, other) = run.table.next_deck.deck, run.table.next_deck.commitments
        read = PlayerWord(1, text_of(other.hash) if is_known else other.hash)

        def dealt(text: str, deck: Deck = deck, read: PlayerWord = read) -> Dealing:
            return sealing.dealing(deck, (PlayerWord(0, text), read))

        best = max((f"try{one}" for one in range(400)), key=lambda text: wanted(dealt(text), 0, 2))
        assert wanted(dealt(best), 0, 2) >= 2
        run.commits("A", best)
        assert reason(run, run.freeze) == "pause", "word and start in one packet"
        run.wait(run.clocks.pause)
        run.freeze()
        run.reveal("A")
        run.reveal("B")
        hits += sorted(map(str, run.hand("A"))) == sorted(dealt(best).order.split()[:5])
    assert hits == (5 if is_known else 0)


def test_who_reveals_last_knows_the_deal_and_can_only_give_it_up() -> None:
    """B knows deck and A's text when they are to reveal: only the text that B is committed to is taken."""
    run = house_of("AB")
    run.commits("B", "first/1", "device")
    run.wait(run.clocks.pause)
    run.freeze()
    run.reveal("A")
    for text in ("second/2", "third/3"):
        assert reason(run, partial(run.reveal, "B", text)) == "wrong_text"
    run.wait(run.clocks.reveal)
    assert not run.running
    seals = [event.seal for event in run.told(Sealed) if isinstance(event, Sealed)]
    assert len(set(seals)) == 2, "nobody plays the deck whose deal B knew"


# --- refusal ----------------------------------------------------------------------------------------------------------


def test_who_withholds_is_not_dealt_in_and_the_others_begin_anew_by_themselves() -> None:
    run = withheld()
    assert run.told(Unrevealed) == [Unrevealed(2, "withheld")]
    assert (run.stage, run.frozen) == ("commit", "AB")
    assert run.table.next_deck is not None
    assert run.table.next_deck.commitments == ()
    (gone,) = run.table.discarded
    assert gone.deck != run.table.next_deck.deck
    assert [one.text != "" for one in gone.frozen] == [True, True, False]
    run.draw_all()
    assert run.stage == "reveal"
    run.reveal("A")
    run.reveal("B")
    assert run.active == "AB"


def test_an_ante_of_theirs_goes_into_the_pot_and_the_record_has_it_all() -> None:
    run = withheld()
    run.draw_all()
    run.freeze_is_over()
    book = run.table.transcript
    assert book is not None
    assert (book.forfeits, book.forfeit) == ((3,), run.options.ante)
    assert len(book.discarded) == 1
    assert run.table.discarded == ()


def test_they_sit_out_three_games_wherever_they_are_meanwhile() -> None:
    run = withheld()
    run.draw_all()
    run.freeze_is_over()
    for games in range(SITS_OUT, 0, -1):
        who = run.table.seats[2]
        assert who is not None
        assert who.out == games
        run.play_out()
        if games == 2:
            run.leave("C")
            run.sit("C")
        run.wait(run.clocks.pause)
        run.draw_all()
        run.freeze(str(run.master))
        assert run.frozen == "AB"
        run.freeze_is_over()
    run.play_out()
    run.wait(run.clocks.pause)
    run.draw_all()
    run.freeze(str(run.master))
    assert run.frozen == "ABC"


def test_a_master_who_withholds_leads_no_longer_and_cannot_start() -> None:
    run = house_of("ABC")
    run.commits("A", "mine/1", "device")
    run.wait(run.clocks.pause)
    run.freeze("A")
    run.reveal("B")
    run.reveal("C")
    run.wait(run.clocks.reveal)
    assert run.master == "B"
    run.draw_all()
    run.freeze_is_over()
    assert run.active == "BC"
    assert run.game.master == 1


def test_a_deal_that_waits_for_the_bank_is_told_once_all_texts_are_there() -> None:
    run = house_of("AB")
    run.freeze()
    assert postponed(run.table, run.now, run.clocks) is run.table, "texts are missing"
    table = run.table
    for one in run.opening.frozen:
        table = revealed(table, one.session, text_of(one.hash))
    waits = postponed(table, run.now + 2, run.clocks)
    again = postponed(waits, run.now + 10, run.clocks)
    assert [entry.event for entry in again.log[-2:]] != [WaitsForBank()] * 2
    assert again.log[-1].event == WaitsForBank()
    assert (waits.deadline, again.deadline) == (run.now + 2 + AGAIN_SECONDS, run.now + 10 + AGAIN_SECONDS)


def test_if_too_few_are_left_the_start_is_over_and_a_game_without_anybody_counts_by_the_clock() -> None:
    run = withheld("AB", "B")
    assert run.table.opening is None
    assert run.told(NotStarted) == [NotStarted()]
    assert run.left == run.clocks.master
    assert reason(run, run.freeze) == "asleep"
    run.wait(SITS_OUT * run.clocks.master)
    assert run.table.barred == ()
    run.wake("A")
    run.draw_all()
    run.freeze(str(run.master))
    assert run.frozen == "AB"
    assert len(run.table.discarded) == 1, "it is still to be shown on the next game's page"


def test_an_ante_for_which_there_was_no_game_goes_into_the_pot_of_the_next_one() -> None:
    """Else two who know each other refuse for nothing: one of them can always leave too few."""
    run = withheld("AB", "B")
    assert run.table.opening is None
    run.wake("A")
    run.sit("C")
    run.wait(run.clocks.pause)
    run.draw_all()
    run.freeze(str(run.master))
    assert run.frozen == "AC"
    run.freeze_is_over()
    book = run.table.transcript
    assert book is not None
    assert (book.forfeits, book.forfeit) == ((2,), run.options.ante)


def test_a_text_that_a_session_of_the_house_held_is_lost_and_nobody_is_to_blame() -> None:
    run = house_of("ABC")
    run.freeze()
    run.reveal("A")
    run.reveal("B")
    run.wait(run.clocks.reveal)
    assert run.told(Unrevealed) == [Unrevealed(2, "lost")]
    assert run.table.barred == ()
    run.draw_all()
    run.freeze_is_over()
    assert run.active == "AB"
    book = run.table.transcript
    assert book is not None
    assert book.forfeits == ()
    assert [one.why for gone in book.discarded for one in gone.missing] == ["lost"]


def test_by_hand_there_are_seconds_to_commit_again_then_the_sessions_draw() -> None:
    run = withheld("ABCD", "C")
    sessions = {name: run.session(name) for name in "ABD"}
    assert not openings.owes_commitment(run.table, sessions["B"], by_hand=True)
    for name in "AD":
        run.commits(name, f"{name}/again")
    run.wait(run.clocks.reveal)
    assert run.stage == "draw"
    assert run.told(ByHandOver) == [ByHandOver()]
    assert openings.owes_commitment(run.table, sessions["B"], by_hand=True)
    run.wait(run.clocks.reveal)
    assert run.stage == "reveal", "a session that is stopped plays with an empty text"
    assert [one.owes for one in run.opening.frozen] == [True, False, True]


def test_a_start_that_nobody_reveals_ends() -> None:
    run = house_of("ABC")
    for _ in range(MOST_DISCARDED):
        run.draw_all()
        run.freeze(str(run.master))
        run.wait(run.clocks.reveal)
        assert run.table.opening is None
    assert len(CODEC.encode(run.table)) < CELL


def test_on_devices_the_table_is_told_that_it_is_time_to_reveal() -> None:
    run = house_of("AB")
    run.commits("B", "mine/1", "device", told=True)
    run.wait(run.clocks.pause)
    run.freeze()
    assert run.events[-1] == Fixed(0, round(run.clocks.reveal))


# --- leaving and coming back ------------------------------------------------------------------------------------------


def test_a_player_who_leaves_after_revealing_is_dealt_in_all_the_same() -> None:
    """Else they would choose between two deals that they both know."""
    run = house_of("ABC")
    run.freeze()
    texts = tuple(PlayerWord(one.seat, text_of(one.hash)) for one in run.opening.frozen)
    run.reveal("A")
    run.reveal("C")
    run.leave("A")
    assert run.people() == ["A", "B", "C"]
    run.reveal("B")
    (dealt,) = run.told(DealtBy)
    assert isinstance(dealt, DealtBy)
    assert dealt.words == texts
    assert run.active == "ABC"
    assert run.cash["A"] == 90
    assert run.table.seats[0] is not None
    assert run.table.seats[0].held <= run.now, "the seat is due to be freed"


def test_a_player_who_loses_the_line_is_dealt_in_and_comes_back_to_the_same_cards() -> None:
    run = house_of("AB")
    run.freeze()
    run._commit(hold(run.table, run.session("B"), run.now, run.now + 50, run.clocks))
    run.reveal("B")
    run._commit(take_over(run.table, 2, 77, run.now, run.clocks))
    run.reveal("A")
    assert run.active == "AB"


def test_another_session_of_the_player_may_reveal_what_is_on_their_device() -> None:
    run = house_of("AB")
    run.commits("B", "mine/1", "device")
    run.wait(run.clocks.pause)
    run.freeze()
    run._commit(hold(run.table, run.session("B"), run.now, run.now + 50, run.clocks))
    run._commit(take_over(run.table, 2, 77, run.now, run.clocks))
    run.reveal("A")
    run.reveal("B")
    assert run.running


def test_who_takes_over_a_seat_before_the_start_commits_anew() -> None:
    """The former session had the text, and may have died with it."""
    run = house_of("AB")
    run._commit(hold(run.table, run.session("B"), run.now, run.now + 50, run.clocks))
    run._commit(take_over(run.table, 2, 77, run.now, run.clocks))
    assert openings.owes_commitment(run.table, 77)


def test_one_who_leaves_before_the_others_are_frozen_again_is_not_waited_for() -> None:
    run = withheld("ABCD", "C")
    for name in "AB":
        run.commits(name, f"{name}/again")
    run.leave("D")
    assert (run.stage, run.frozen) == ("reveal", "AB")
    again = withheld("ABC", "C")
    again.leave("A")
    assert again.table.opening is None
    assert again.master == "B"


def test_one_who_cannot_pay_any_more_does_not_change_who_gets_which_card() -> None:
    """A sysop could take CUBES from a friend of the house who dislikes the deal: that deck is not played then."""
    run = house_of("ABC")
    run.freeze()
    run.reveal("A")
    run.reveal("B")
    run.give("C", -95)
    run.reveal("C")
    assert not run.running
    assert run.told(Unrevealed) == [Unrevealed(2, "lost")]
    run.draw_all()
    run.freeze_is_over()
    assert run.active == "AB"


def test_one_who_can_pay_by_now_is_not_dealt_in() -> None:
    run = house_of("ABC", C=5)
    run.freeze()
    assert run.frozen == "AB"
    run.give("C", 50)
    run.reveal("A")
    run.reveal("B")
    assert run.active == "AB"


# --- two accounts and more --------------------------------------------------------------------------------------------


def test_each_account_buys_one_deal_and_is_out_then() -> None:
    """A player with three accounts at a table of five: three deals are given up, each seen; there is no fourth."""
    run = house_of("ABCDE")
    for name in "CDE":
        run.commits(name, f"{name}/1", "device")
    run.wait(run.clocks.pause)
    run.freeze()
    for gone, deals in (("C", 1), ("D", 2), ("E", 3)):
        for name in run.frozen:
            if name != gone:
                run.reveal(name)
        run.wait(run.clocks.reveal)
        assert len(run.table.discarded) == deals
        assert gone not in run.frozen
        run.commits("A", f"A/{deals}")
        run.commits("B", f"B/{deals}")
        for name in run.frozen:
            if name in "DE":
                run.commits(name, f"{name}/{deals}", "device")
    assert run.frozen == "AB"
    run.freeze_is_over()
    assert run.active == "AB"
    book = run.table.transcript
    assert book is not None
    assert len(book.forfeits) == 3


STEPS = ["reveal", "leave", "lose", "wait", "sit", "change", "draw"]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from("BCD")), max_size=12), st.integers(0, 99))
@example([("reveal", "C"), ("wait", "B"), ("draw", "B"), ("leave", "B")], 0)  # leaves beside a game that begins
def test_whatever_the_others_do_the_one_who_reveals_is_dealt_by_all_frozen_texts(
    story: list[tuple[str, str]], seed: int
) -> None:
    """A fixes a text. Whatever B, C and D do then: the deck is dealt by all frozen texts, or by nobody."""
    run = Opened(Random(seed))
    for name in "ABCD":
        run.sit(name)
    run.freeze()
    for what, name in [("reveal", "A"), *story]:
        if run.table.opening is None:
            break
        before = run.opening if run.stage == "reveal" else None
        deck = run.table.next_deck
        try:
            match what:
                case "reveal":
                    run.reveal(name)
                case "leave" if name in run.people():
                    run.leave(name)
                case "lose" if name in run.people():
                    until = run.now + 50
                    run._commit(hold(run.table, run.session(name), run.now, until, run.clocks))
                case "wait":
                    run.wait(run.clocks.reveal)
                case "sit" if "E" not in run.people() and len(run.people()) < POKER.SEATS:
                    run.sit("E")
                case "change":
                    run.commits(name, f"{run.rng.getrandbits(64):x}/other")
                case "draw":
                    run.draw_all()
                case _:
                    pass
        except IllegalMove:
            continue
        if run.table.game is not None and before is not None and run.table.transcript is not None:
            assert deck is not None
            assert run.table.transcript.deck == deck.deck
            wanted_texts = tuple(PlayerWord(one.seat, text_of(one.hash)) for one in before.frozen)
            assert run.table.transcript.words == wanted_texts
            assert {0, *(one.seat for one in before.frozen)} == {word.seat for word in run.table.transcript.words}
