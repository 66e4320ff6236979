"""The deck that is sealed for the next game: told before any word is given, and never changed without a game."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.rules.house import House
from yawc_poker.engine import next_deck, sealing
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.sealing import Word
from yawc_poker.engine.table import DealtBy, Sealed, WordGiven
from yawc_poker.engine.values import NextDeck
from yawc_poker.games import POKER
from yawc_poker.games.poker.model import Fold
from yawc_poker.table_ui.spoken import GiveWord, TellSeal, asked


def house_of(names: str, **cash: int) -> House:
    house = House()
    for name in names:
        house.sit(name, cash.get(name, 100))
    return house


def seals(house: House) -> list[str]:
    return [event.seal for event in house.events if isinstance(event, Sealed)]


def words(house: House) -> dict[int, str]:
    assert house.table.next_deck is not None
    return {word.seat: word.text for word in house.table.next_deck.words}


def give(house: House, name: str, text: str) -> None:
    session = next(who.session for who in house.table.seats if who is not None and who.name == name)
    house._commit(next_deck.give_word(house.table, session, text))


def refused(house: House, name: str, text: str) -> str:
    before = house.table
    with pytest.raises(IllegalMove) as error:
        give(house, name, text)
    assert house.table is before
    return error.value.reason


def play(house: House) -> None:
    """Play a game in which all but one pass."""
    house.start(str(house.master))
    while house.running:
        house.do(str(house.current), Fold())
    house.wait(30)


def test_the_first_to_sit_down_has_a_deck_sealed_and_others_find_it() -> None:
    house = house_of("A")
    (seal,) = seals(house)
    assert house.table.next_deck is not None
    assert seal == sealing.seal(house.table.next_deck.deck)
    house.sit("B")
    house.leave("A")
    assert seals(house) == [seal]


def test_a_game_s_end_seals_the_next_deck_once() -> None:
    house = house_of("ABC")
    for games in range(1, 6):
        play(house)
        assert len(set(seals(house))) == len(seals(house)) == games + 1


def test_each_game_is_dealt_from_the_deck_whose_seal_was_told_last() -> None:
    house = house_of("ABC")
    for _ in range(3):
        play(house)
    told = ""
    for event in house.events:
        if isinstance(event, Sealed):
            told = event.seal
        elif isinstance(event, DealtBy):
            assert event.seal == told


def test_a_deck_that_was_exchanged_for_the_words_shows_in_the_seal_that_is_told_with_them() -> None:
    """What a doctored house might do once it knows the words: everybody reads that it is another one."""
    house = house_of("AB")
    assert house.table.next_deck is not None
    other = NextDeck(sealing.shuffle(POKER.DECK, Random(99)), house.table.next_deck.words)
    house.table = replace(house.table, next_deck=other)
    house.start("A")
    (dealt,) = [event for event in house.events if isinstance(event, DealtBy)]
    assert dealt.seal != seals(house)[-1]


def test_a_table_that_was_left_keeps_its_deck_and_tells_it_to_who_comes() -> None:
    house = house_of("AB")
    house.leave("A")
    house.leave("B")
    assert words(house) == {}
    house.sit("C")
    assert len(seals(house)) == 2
    assert len(set(seals(house))) == 1
    assert list(words(house)) == [0]


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_drawn_word_stays_and_an_own_one_replaces_it() -> None:
    house = house_of("AB")
    drawn = words(house)
    assert [len(word) for word in drawn.values()] == [sealing.DRAWN_LETTERS] * 2
    assert next_deck.draw_word(house.table, 1, house.rng) is house.table
    give(house, "B", "Hello!")
    assert words(house) == {0: drawn[0], 1: "Hello!"}
    assert house.events[-1] == WordGiven(1, "Hello!")
    before = house.table
    give(house, "B", "Hello!")
    assert house.table is before
    give(house, "B", "again")
    assert words(house)[1] == "again"
    house.start("A")
    assert house.table.chronicle is not None
    assert house.table.chronicle.words == (Word(0, drawn[0]), Word(1, "again"))


def test_a_word_is_for_one_game() -> None:
    house = house_of("AB")
    give(house, "A", "mine")
    play(house)
    assert "mine" not in words(house).values()


@pytest.mark.parametrize("text", ["", "two words", "x" * 17, "don't", "ümlaut", "tab\t"])
def test_what_is_no_word_is_refused(text: str) -> None:
    assert refused(house_of("AB"), "A", text) == "bad_word"


def test_while_a_game_runs_a_word_comes_too_late_and_there_is_no_seal_for_the_next() -> None:
    house = house_of("AB")
    house.start("A")
    house.sit("C")
    for name in "ABC":
        assert refused(house, name, "late") == "word_late"
    assert not next_deck.owes_word(house.table, 3)
    house.do("A", Fold())
    house.do("B", Fold())
    assert list(words(house)) == [0, 1, 2]
    give(house, "C", "now")


def test_somebody_who_is_not_there_gives_none() -> None:
    house = house_of("AB")
    with pytest.raises(IllegalMove, match="not_seated"):
        next_deck.give_word(house.table, 99, "hello")
    assert next_deck.draw_word(house.table, 99, house.rng) is house.table


def test_a_leaver_s_word_goes_and_who_takes_the_seat_draws_another() -> None:
    house = house_of("ABC")
    give(house, "B", "mine")
    house.leave("B")
    assert list(words(house)) == [0, 2]
    house.sit("D")
    assert words(house)[1] != "mine"


def test_nobody_is_waited_for_and_only_who_plays_counts() -> None:
    """A's session was stopped before it drew a word; C cannot pay the ante."""
    house = house_of("ABC", C=5)
    house.table = next_deck.without_word(house.table, 0)
    house.start("A")
    dealt = house.events[-1]
    assert isinstance(dealt, DealtBy)
    assert [(word.seat, len(word.text)) for word in dealt.words] == [(0, 0), (1, 8)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["sit", "leave", "play", "word", "redraw"]), max_size=25), st.randoms())
def test_whatever_happens_a_seal_is_told_before_its_words_and_once_a_game(story: list[str], rng: Random) -> None:
    house = house_of("A")
    for what in story:
        people = house.people()
        match what:
            case "sit" if len(people) < POKER.SEATS:
                house.sit(next(name for name in "ABCDEFGH" if name not in people))
            case "leave" if people:
                house.leave(rng.choice(people))
            case "play" if len(people) > 1:
                play(house)
            case "word" if people:
                give(house, rng.choice(people), rng.choice(["one", "two"]))
            case "redraw":
                for who in house.table.seats:
                    house._commit(next_deck.draw_word(house.table, 0 if who is None else who.session, house.rng))
    told, dealt, texts = "", set[str](), dict[int, str]()
    for event in house.events:
        match event:
            case Sealed(seal=seal):
                assert seal not in dealt
                assert told in {"", seal} or told in dealt, "the deck was changed without a game"
                told, texts = seal, {} if seal != told else texts
            case WordGiven(seat=seat, text=text):
                texts[seat] = text
            case DealtBy(seal=seal, words=given):
                assert seal == told
                dealt.add(seal)
                assert all(word.text for word in given)


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("/word hello", GiveWord("hello")),
        ("/WORT  Hallo ", GiveWord("Hallo")),
        ("/word", GiveWord("")),
        ("/word two words", GiveWord("two words")),
        ("/seal", TellSeal()),
        ("/Siegel", TellSeal()),
        ("/words hello", None),
        ("my /word is", None),
        ("hello", None),
    ],
)
def test_what_a_chat_line_asks_for(line: str, meant: GiveWord | TellSeal | None) -> None:
    assert asked(line) == meant
