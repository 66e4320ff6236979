"""The next game: a sealed deck, announced before any word is given and replaced only by a game; the options chosen."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.engine.words import draw_word, give_word, text_of
from tests.rules.table_run import TableRun
from tests.thoroughness import sampled
from yawc_poker.catalogues import all_languages
from yawc_poker.engine import next_game, sealing
from yawc_poker.engine.events import Committed, DealtBy, OptionsChosen, Sealed
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.opening import commit, owes_commitment, without_commitment
from yawc_poker.engine.sealing import PlayerWord
from yawc_poker.engine.values import Clocks, NextDeck
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.games.poker.model import Fold, Options
from yawc_poker.table_ui.commands import (
    ChooseOption,
    GiveWord,
    JoinTable,
    StartGame,
    TellSeal,
    Unknown,
    Wish,
    asked,
    game_and_number,
)


def house_of(names: str, **cash: int) -> TableRun:
    run = TableRun()
    for name in names:
        run.sit(name, cash.get(name, 100))
    return run


def seals(run: TableRun) -> list[str]:
    return [event.seal for event in run.events if isinstance(event, Sealed)]


def words(run: TableRun) -> dict[int, str]:
    assert run.table.next_deck is not None
    return {one.seat: text_of(one.hash) for one in run.table.next_deck.commitments}


def give(run: TableRun, name: str, text: str) -> None:
    session = next(who.session for who in run.table.seats if who is not None and who.name == name)
    run._commit(give_word(run.table, session, text, run.now, Clocks(pause=0)))


def refused(run: TableRun, name: str, text: str) -> str:
    before = run.table
    with pytest.raises(IllegalMove) as error:
        give(run, name, text)
    assert run.table is before
    return error.value.reason


def play(run: TableRun) -> None:
    """Play a game in which all but one pass."""
    run.start(str(run.master))
    while run.running:
        run.do(str(run.current), Fold())
    run.wait(30)


def test_the_first_to_sit_down_has_a_deck_sealed_and_others_find_it() -> None:
    run = house_of("A")
    (seal,) = seals(run)
    assert run.table.next_deck is not None
    assert seal == sealing.seal(run.table.next_deck.deck)
    run.sit("B")
    run.leave("A")
    assert seals(run) == [seal]


def test_a_game_s_end_seals_the_next_deck_once() -> None:
    run = house_of("ABC")
    for games in range(1, 6):
        play(run)
        assert len(set(seals(run))) == len(seals(run)) == games + 1


def test_each_game_is_dealt_from_the_deck_whose_seal_was_announced_last() -> None:
    run = house_of("ABC")
    for _ in range(3):
        play(run)
    told = ""
    for event in run.events:
        if isinstance(event, Sealed):
            told = event.seal
        elif isinstance(event, DealtBy):
            assert event.seal == told


def test_a_deck_exchanged_after_the_words_shows_in_the_seal_announced_with_them() -> None:
    """A dishonest house might exchange it once it knows the words; then everybody sees another seal."""
    run = house_of("AB")
    assert run.table.next_deck is not None
    other = NextDeck(sealing.shuffle(POKER.DECK, Random(99)), run.table.next_deck.commitments)
    run.table = replace(run.table, next_deck=other)
    run.start("A")
    (dealt,) = [event for event in run.events if isinstance(event, DealtBy)]
    assert dealt.seal != seals(run)[-1]


def test_an_empty_table_keeps_its_deck_and_announces_it_to_the_next_person() -> None:
    run = house_of("AB")
    run.leave("A")
    run.leave("B")
    assert words(run) == {}
    run.sit("C")
    assert len(seals(run)) == 2
    assert len(set(seals(run))) == 1
    assert list(words(run)) == [0]


# --- words ------------------------------------------------------------------------------------------------------------


def test_a_drawn_word_stays_and_an_own_one_replaces_it() -> None:
    run = house_of("AB")
    drawn = words(run)
    assert [len(word) for word in drawn.values()] == [sealing.DRAWN_LETTERS] * 2
    assert draw_word(run.table, 1, run.rng) is run.table
    give(run, "B", "Hello!")
    assert words(run) == {0: drawn[0], 1: "Hello!"}
    assert run.events[-1] == Committed(1, sealing.commitment("Hello!"))
    before = run.table
    give(run, "B", "Hello!")
    assert run.table is before
    give(run, "B", "again")
    assert words(run)[1] == "again"
    run.start("A")
    assert run.table.transcript is not None
    assert run.table.transcript.words == (PlayerWord(0, drawn[0]), PlayerWord(1, "again"))
    assert [one.hash for one in run.table.transcript.frozen] == [
        sealing.commitment(drawn[0]),
        sealing.commitment("again"),
    ]


def test_a_word_is_for_one_game() -> None:
    run = house_of("AB")
    give(run, "A", "mine")
    play(run)
    assert "mine" not in words(run).values()


@pytest.mark.parametrize("text", ["", "two words", "x" * 17, "don't", "\u00fcmlaut", "tab\t"])
def test_an_invalid_word_is_none(text: str) -> None:
    assert not sealing.is_word(text)


def test_while_a_game_runs_a_word_comes_too_late_and_there_is_no_seal_for_the_next() -> None:
    run = house_of("AB")
    run.start("A")
    run.sit("C")
    for name in "ABC":
        assert refused(run, name, "late") == "word_late"
    assert not owes_commitment(run.table, 3)
    run.do("A", Fold())
    run.do("B", Fold())
    assert list(words(run)) == [0, 1, 2]
    give(run, "C", "now")


def test_somebody_who_is_not_there_gives_none() -> None:
    run = house_of("AB")
    with pytest.raises(IllegalMove, match="not_seated"):
        commit(run.table, 99, "0" * 64, "session", run.now, run.clocks)
    assert draw_word(run.table, 99, run.rng) is run.table


def test_a_leaver_s_word_goes_and_the_next_on_the_seat_draws_another() -> None:
    run = house_of("ABC")
    give(run, "B", "mine")
    run.leave("B")
    assert list(words(run)) == [0, 2]
    run.sit("D")
    assert words(run)[1] != "mine"


def test_a_missing_word_is_not_waited_for_and_only_players_count() -> None:
    """A's session was stopped before it drew a word; C cannot pay the ante."""
    run = house_of("ABC", C=5)
    run.table = without_commitment(run.table, 0)
    run.start("A")
    (dealt,) = [event for event in run.events if isinstance(event, DealtBy)]
    assert [(word.seat, len(word.text)) for word in dealt.words] == [(0, 0), (1, 8)]


@settings(max_examples=sampled(40))
@given(st.lists(st.sampled_from(["sit", "leave", "play", "word", "redraw"]), max_size=25), st.randoms())
def test_a_seal_is_always_announced_before_its_words_and_once_per_game(story: list[str], rng: Random) -> None:
    run = house_of("A")
    for number, what in enumerate(story):
        people = run.people()
        match what:
            case "sit" if len(people) < POKER.SEATS:
                run.sit(next(name for name in "ABCDEFGH" if name not in people))
            case "leave" if people:
                run.leave(rng.choice(people))
            case "play" if len(people) > 1:
                play(run)
            case "word" if people:
                give(run, rng.choice(people), f"word{number}")
            case "redraw":
                for who in run.table.seats:
                    run._commit(draw_word(run.table, 0 if who is None else who.session, run.rng))
    told, dealt, texts, used = "", set[str](), dict[int, str](), set[str]()
    for event in run.events:
        match event:
            case Sealed(seal=seal):
                assert seal not in dealt
                assert told in {"", seal} or told in dealt, "the deck was changed without a game"
                told, texts = seal, {} if seal != told else texts
            case Committed(seat=seat, hash=digest):
                texts[seat] = text_of(digest)
            case DealtBy(seal=seal, words=given):
                assert seal == told
                dealt.add(seal)
                assert all(word.text for word in given)
                assert not {word.text for word in given} & used
                used |= {word.text for word in given}


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("/word hello", GiveWord("hello")),
        ("/WORT  Hallo ", GiveWord("Hallo")),
        ("/woord hallo", GiveWord("hallo")),
        ("/word", GiveWord("")),
        ("/word two words", GiveWord("two words")),
        ("/seal", TellSeal()),
        ("/Siegel", TellSeal()),
        ("/zegel", TellSeal()),
        ("/start", StartGame()),
        ("/option", ChooseOption("")),
        ("/Options rounds  8 ", ChooseOption("rounds  8")),
        ("/optie toernooi", ChooseOption("toernooi")),
        ("/join", JoinTable("")),
        ("/join Mau-Mau 2", JoinTable("Mau-Mau 2")),
        ("/words hello", Unknown("/words")),
        ("/", Unknown("/")),
        ("/" + 30 * "x", Unknown("/" + 19 * "x")),
        ("my /word is", None),
        ("hello", None),
    ],
)
def test_lines_as_commands(line: str, meant: Wish | None) -> None:
    assert asked(line, all_languages()) == meant


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", ("", None)),
        ("poker", ("poker", None)),
        ("Poker 2", ("poker", 2)),
        ("mau mau 12", ("maumau", 12)),
        ("Mau-Mau", ("maumau", None)),
        ("2", ("2", None)),
        ("poker \u00b2", ("poker\u00b2", None)),
    ],
)
def test_a_game_and_a_table_in_one_line(text: str, meant: tuple[str, int | None]) -> None:
    assert game_and_number(text) == meant


# --- the options of the games to come ---------------------------------------------------------------------------------


def changed(options: Options) -> Options:
    return replace(options, ante=options.ante + 1)


def chosen(run: TableRun, name: str) -> None:
    session = next((who.session for who in run.table.seats if who is not None and who.name == name), 99)
    run._commit(next_game.choose(run.table, POKER, session, run.options, changed, run.now, run.clocks))


def options_of(run: TableRun) -> Options:
    return next_game.options_of(run.table, POKER, run.options)


def test_the_master_chooses_for_the_table_and_all_are_told() -> None:
    run = house_of("AB")
    assert options_of(run) == run.options
    chosen(run, "A")
    chosen(run, "A")
    assert options_of(run) == replace(run.options, ante=run.options.ante + 2)
    event = run.events[-1]
    assert isinstance(event, OptionsChosen)
    assert (event.seat, POKER.read_options(event.options)) == (0, options_of(run))


def test_only_the_master_chooses_and_only_before_a_game() -> None:
    run = house_of("AB")
    for name, reason in (("B", "not_master"), ("nobody", "not_seated")):
        with pytest.raises(IllegalMove, match=reason):
            chosen(run, name)
    run.start("A")
    with pytest.raises(IllegalMove, match="game_running"):
        chosen(run, "A")
    assert run.table.options == ""


def test_a_choice_outlives_its_master_but_not_the_last_player() -> None:
    run = house_of("AB")
    chosen(run, "A")
    run.leave("A")
    before = options_of(run)
    assert before != run.options
    chosen(run, "B")
    assert options_of(run) != before
    run.leave("B")
    assert run.table.options == ""


def test_others_have_a_pause_to_read_it_before_a_game_begins() -> None:
    run = house_of("AB")
    chosen(run, "A")
    with pytest.raises(IllegalMove, match="pause") as refusal:
        run.start("A")
    assert refusal.value.values == {"seconds": int(run.clocks.pause)}
    run.wait(run.clocks.pause)
    run.start("A")


def test_nobody_has_to_wait_for_a_choice_made_alone_but_those_who_come() -> None:
    run = house_of("A")
    chosen(run, "A")
    assert run.table.pause_until <= run.now
    run.sit("B")
    assert run.table.pause_until == run.now + run.clocks.pause


def test_the_usual_options_are_no_choice() -> None:
    run = house_of("AB")
    chosen(run, "A")
    session = run.table.seats[0]
    assert session is not None
    back = next_game.choose(run.table, POKER, session.session, run.options, lambda _: run.options, run.now, run.clocks)
    assert back.options == ""


def test_somebody_who_sits_down_has_a_pause_to_read_what_was_chosen() -> None:
    run = house_of("AB")
    chosen(run, "A")
    run.wait(run.clocks.pause)
    run.sit("C")
    with pytest.raises(IllegalMove, match="pause"):
        run.start("A")
    run.wait(run.clocks.pause)
    run.start("A")


def test_the_same_choice_again_changes_nothing() -> None:
    run = house_of("AB")
    chosen(run, "A")
    before, session = run.table, run.table.seats[0]
    assert session is not None
    again = next_game.choose(before, POKER, session.session, run.options, lambda now: now, run.now, run.clocks)
    assert again is before
