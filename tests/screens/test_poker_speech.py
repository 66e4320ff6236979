"""The sentences of a poker table: messages that fit their lines, and refusals that fit where they can appear."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.screens.poker_pictures import (
    ANNA,
    CARL,
    EN,
    LONG,
    LONGEST,
    Instance,
    Picture,
    alone,
    commands,
    master_before_a_game,
    out_by_the_clock,
    pause,
    round_1_own_turn,
    round_3_own_turn,
    swap_fourth_card,
    waits_for_the_master,
)
from yawc_poker.cards import Rank, cards
from yawc_poker.catalogues import words
from yawc_poker.engine import sealing
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import (
    ByHandOver,
    Chat,
    Committed,
    DealtBy,
    Fixed,
    Left,
    NewMaster,
    Notice,
    NotStarted,
    Paid,
    Removed,
    SatDown,
    Sealed,
    SeatFreed,
    Started,
    Unrevealed,
    Voided,
)
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.sealing import PlayerWord
from yawc_poker.engine.values import LogEntry
from yawc_poker.games.poker.hands import category, ranks
from yawc_poker.games.poker.model import (
    BetMade,
    Category,
    Event,
    NextRound,
    Passed,
    PotLost,
    ShowdownBegins,
    Shown,
    SwapMissed,
    Swapped,
    TakenOut,
    Won,
)
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.games.poker.ui.speech import (
    CATEGORIES,
    category_name,
    hand_name,
    plain,
    reason,
    refusal,
    sentence,
    sentences,
)
from yawc_poker.table_ui.intents import Start
from yawc_poker.table_ui.keys import noticed
from yawc_poker.table_ui.speech import seal_again, seal_now, still_to_wait
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import LANGUAGES, Language

# --- messages --------------------------------------------------------------------------------------------------------


def said(local: Local) -> list[str]:
    return [text for text, _ in local.talk.lines if text]


def test_messages_from_before_sitting_down_are_seen() -> None:
    instance = Instance(2)
    instance.table = tables.chat(instance.table, ANNA, "before")
    instance.sit(2)
    instance.table = tables.chat(instance.table, ANNA, "after")
    assert said(instance.local(CARL))[3:] == ["[Anna] before", "[INFO] Carl sits down at the table.", "[Anna] after"]


def test_entries_are_heard_once() -> None:
    instance = Instance(2)
    local = instance.local(ANNA)
    assert FACE.hear(local, instance.table.log, ANNA, EN) == local


def test_a_log_that_ran_over_is_heard_from_its_oldest_entry() -> None:
    instance = Instance(2)
    for number in range(20):
        instance.table = tables.chat(instance.table, LONG, str(number))
    assert FACE.hear(Local(), instance.table.log, ANNA, EN).heard == 23
    assert len(said(FACE.hear(Local(), instance.table.log, ANNA, EN))) == 10


def test_a_player_taken_out_reads_it_elsewhere_than_the_others() -> None:
    instance, who, _, _ = out_by_the_clock()
    assert not any("let the time pass" in text for text in said(instance.local(who)))
    assert f"[SYSTEM] {LONGEST} let the time pass and is out of the game." in said(instance.local(ANNA))
    assert instance.local(ANNA).notice == ""


EVENTS: tuple[Event | Notice, ...] = (
    SatDown(1),
    Left(1),
    Removed(1),
    Started(1),
    Sealed("0123456789abcdef" * 4),
    Committed(1, "f" * 64),
    Fixed(1, 8),
    Unrevealed(1, "withheld"),
    Unrevealed(1, "lost"),
    ByHandOver(),
    NotStarted(),
    DealtBy("0123456789abcdef" * 4, ()),
    NewMaster(1),
    Paid(1, 1234567),
    Paid(None, 1234567),
    Voided(),
    Voided("bank"),
    NextRound(2),
    NextRound(3),
    SeatFreed(1),
    BetMade(1, 200, see=False),
    BetMade(1, 200, see=True),
    Passed(1),
    TakenOut(1, "max_below_min"),
    TakenOut(1, "time"),
    Swapped(1),
    SwapMissed(1),
    ShowdownBegins(),
    *(Shown(1, category, auto) for category in Category for auto in (False, True)),
    *(Won(1, 1234567, category) for category in (None, *Category)),
    *(Shown(1, category, auto, (Rank.SEVEN, Rank.SIX)) for category in Category for auto in (False, True)),
    *(Won(1, 1234567, category, (Rank.QUEEN, Rank.SEVEN)) for category in Category),
    PotLost(1234567),
)
INFORMS = (SatDown, Left, Started, Committed, Fixed, BetMade, Passed, Swapped)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("event", EVENTS, ids=repr)
def test_every_event_is_a_sentence_that_fits_its_line(event: Event | Notice, language: Language) -> None:
    entry: LogEntry[Event] = LogEntry(1, 1, LONGEST, event, 1)
    text, _ = sentence(entry, words(language))
    informs = isinstance(event, INFORMS) or (isinstance(event, Shown) and not event.auto)
    assert text.startswith("[INFO] " if informs else "[SYSTEM] ")
    assert len(text.partition("] ")[2]) > 5
    assert len(text) <= 76
    assert (LONGEST in text) == (event.seat is not None)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("plain", [False, True])
def test_seals_and_words_fit_their_lines(language: Language, plain: bool) -> None:
    """Each seal takes one line; the words share it where they fit. On request five words of full length take two."""
    seal = "0123456789abcdef" * 4
    speech = words(language, plain=plain)
    sealed: LogEntry[Event] = LogEntry(1, 0, "", Sealed(seal))
    ((line, style),) = sentences(sealed, speech)
    assert line.endswith(f": {seal[:40]}")
    assert (line[:9], style) == ("[SYSTEM] ", Style.YELLOW)
    given = (*(PlayerWord(seat, "W" * sealing.MOST_LETTERS) for seat in range(4)), PlayerWord(4, ""))
    dealt: LogEntry[Event] = LogEntry(6, 0, "", DealtBy(seal, given))
    told = [text for text, _ in sentences(dealt, speech)]
    assert len(told) == 1
    assert seal[:8] in told[0]
    assert any(command in told[0] for command in ("/seal", "/siegel", "/zegel", "/sceau"))
    pair = DealtBy(seal, (PlayerWord(0, "W" * 8), PlayerWord(1, "V" * 8)))
    both = [text for text, _ in sentences(replace(dealt, event=pair), speech)]
    assert both[0].endswith(": 1 WWWWWWWW, 2 VVVVVVVV")
    assert max(map(len, [line, *told, *both])) <= 76
    talk = FACE.hear(replace(Local(), heard=5), (dealt,), ANNA, speech).talk
    assert [text for text, _ in talk.lines if text] == told
    assert talk.newest == 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_seal_and_words_are_shown_again_on_request(language: Language) -> None:
    instance, speech = Instance(2), words(language)
    before = seal_again(instance.table, speech)
    instance.start()
    after = seal_again(instance.table, speech)
    assert [text[-64:] for text in before[:1]] == [text[-64:] for text in after[:1]]
    assert len(before[0].rpartition(" ")[2]) == 64
    assert seal_now(instance.table, speech)[1] == before[0].rpartition(" ")[2]
    book = instance.table.transcript
    assert book is not None
    assert after[2:] == [f"{word.seat + 1} {word.text}" for word in book.words] != []
    assert before[2:] == [f"{word.seat + 1} {sealing.commitment(word.text)}" for word in book.words]
    names = ", ".join(f"{seat + 1} {name}" for seat, name in enumerate(instance.table.names) if name)
    assert before[1] == after[1] == speech("Players by seat: {names}", names=names)
    assert max(map(len, (*before[1:], *after[1:]))) <= 76
    assert seal_again(tables.empty(instance.rules), speech) == []
    assert seal_now(tables.empty(instance.rules), speech) == ("", "")


def test_a_chat_line_names_its_speaker() -> None:
    entry: LogEntry[Event] = LogEntry(1, 1, "Anna", Chat(0, "{hi} %s"), 0)
    assert sentence(entry, EN) == ("[Anna] {hi} %s", Style.PLAIN)


@pytest.mark.parametrize(
    ("language", "names"),
    [
        (
            "de",
            "Royal Flush, Straight Flush, Vier gleiche Karten, Full House, Flush, Straight, Drei gleiche Karten,"
            " Zwei Paare, Ein Paar, Hohe Karte",
        ),
        (
            "nl",
            "Royal Flush, Straight Flush, Vier gelijke kaarten, Full House, Flush, Straat, Drie gelijke kaarten,"
            " Twee paar, Eén paar, Hoge kaart",
        ),
    ],
)
def test_the_categories_have_the_names_of_the_rules(language: Language, names: str) -> None:
    assert list(CATEGORIES) == sorted(Category, reverse=True)
    assert ", ".join(category_name(category, words(language)) for category in CATEGORIES) == names


@pytest.mark.parametrize(
    ("hand", "name", "in_german", "in_dutch"),
    [
        ("A+ K+ Q+ J+ 10+", "Royal Flush", "Royal Flush", "Royal Flush"),
        ("5- 6- 7- 8- A-", "Straight Flush (eight high)", "Straight Flush (Acht hoch)", "Straight Flush (acht hoog)"),
        ("9+ 9* 9# 9- K*", "Four of a Kind (nines)", "Vier gleiche Karten (Neunen)", "Vier gelijke kaarten (negens)"),
        (
            "7+ 7# 7- Q* Q-",
            "Full House (sevens and queens)",
            "Full House (Siebenen und Damen)",
            "Full House (zevens en vrouwen)",
        ),
        ("A# J# 9# 8# 5#", "Flush (ace high)", "Flush (Ass hoch)", "Flush (aas hoog)"),
        ("J* 10# 9+ 8- 7-", "Straight (jack high)", "Straight (Bube hoch)", "Straat (boer hoog)"),
        ("K+ K# K- 8* 6+", "Three of a Kind (kings)", "Drei gleiche Karten (Könige)", "Drie gelijke kaarten (heren)"),
        (
            "10+ 10- K# K* 5-",
            "Two Pair (kings and tens)",
            "Zwei Paare (Könige und Zehnen)",
            "Twee paar (heren en tienen)",
        ),
        ("K# K* A- 7+ 5-", "One Pair (kings)", "Ein Paar (Könige)", "Eén paar (heren)"),
        ("A* Q+ J+ 7- 5#", "High Card (ace)", "Hohe Karte (Ass)", "Hoge kaart (aas)"),
    ],
)  # fmt: skip
def test_a_hand_is_named_after_its_ranks(hand: str, name: str, in_german: str, in_dutch: str) -> None:
    held = cards(hand)
    named = [hand_name(category(held), ranks(held), words(language)) for language in ("en", "de", "nl")]
    assert named == [name, in_german, in_dutch]


def test_a_hand_is_named_where_there_is_room() -> None:
    won = Won(1, 1234567, Category.FULL_HOUSE, (Rank.SEVEN, Rank.QUEEN))
    entry: LogEntry[Event] = LogEntry(1, 1, "Anna", won, 1)
    assert sentence(entry, EN)[0] == "[SYSTEM] Anna wins 1234567 CUBES with Full House (sevens and queens)!"
    assert sentence(replace(entry, name=LONGEST), EN)[0].endswith(" with Full House!")
    assert plain(won, LONGEST, EN).endswith(" with Full House (sevens and queens)!")


# --- refusals --------------------------------------------------------------------------------------------------------


def test_the_seconds_still_to_wait_are_counted_down() -> None:
    instance, who, _, _ = pause()
    with pytest.raises(IllegalMove) as refusing:
        instance.start()
    local, intent = FACE.press(instance.local(who), instance.scene(who), "s", EN)
    assert intent == Start()
    local = FACE.refused(local, refusing.value, EN)
    for seconds in (18, 1):
        frame = FACE.layout.render(instance.scene(who), FACE.follow(local, instance.scene(who)), EN, 80, 24)
        assert str(seconds) in commands(frame)[3].split()
        instance.now += 17
    assert not any("wait" in line for line in commands(FACE.layout.render(instance.scene(who), local, EN, 80, 24)))


def test_alone_is_told() -> None:
    instance = Instance(1)
    with pytest.raises(IllegalMove) as refusing:
        instance.start()
    local = FACE.refused(instance.local(ANNA, "s"), refusing.value, EN)
    assert "alone" in FACE.follow(local, instance.scene(ANNA)).notice


def test_the_notice_about_being_alone_stays_until_somebody_comes() -> None:
    instance = Instance(1)
    local = FACE.refused(instance.local(ANNA, "s"), IllegalMove("alone"), EN)
    instance.table = tables.chat(instance.table, ANNA, "Hello?")
    local = FACE.hear(local, instance.table.log, ANNA, EN)
    assert "alone" in local.notice
    instance.sit(1)
    assert FACE.hear(local, instance.table.log, ANNA, EN).notice == ""
    other = noticed(local, "Something else.")
    assert FACE.hear(other, instance.table.log, ANNA, EN).notice == "Something else."


def test_how_many_players_a_game_needs_is_what_the_game_says() -> None:
    """Three of four are not alone, and two are not enough."""
    text = refusal(IllegalMove("alone", here=3, needed=4), EN)
    assert text == "There are only 3 of you: a game needs at least 4 players."
    text = refusal(IllegalMove("alone", here=1, needed=2), EN)
    assert text == "You are alone at the table: a game needs at least 2 players."


def test_a_bet_that_the_table_refuses_leaves_the_prompt_open() -> None:
    instance, who, _, _ = round_1_own_turn()
    local = FACE.refused(instance.local(who, "b50\r"), IllegalMove("bet_out_of_range", low=1, high=20), EN)
    assert (local.mode, local.editor.text, local.notice) == ("bet", "", "Please type a number from 1 to 20.")


def room(picture: Callable[[], Picture], keys: str = "") -> int:
    """Return how many lines a notice has there."""
    instance, who, _, _ = picture()
    local = noticed(instance.local(who, keys), "much " * 200)
    return sum(" much " in line for line in commands(FACE.layout.render(instance.scene(who), local, EN, 80, 24)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_notice_fits_where_it_can_appear(language: Language) -> None:
    speech = words(language)
    out = room(waits_for_the_master) - 1  # one line less: the one taken out may be the master a moment later
    free: list[tuple[int, str]] = [
        (out, reason(TakenOut(0, "time"), speech)),
        (out, reason(TakenOut(0, "max_below_min"), speech)),
        (room(master_before_a_game), still_to_wait(30, speech)),
        (room(alone), refusal(IllegalMove("alone"), speech)),
        (room(master_before_a_game), refusal(IllegalMove("closing"), speech)),
        (room(round_1_own_turn, "b"), refusal(IllegalMove("bet_out_of_range", low=199, high=200), speech)),
        (room(swap_fourth_card), refusal(IllegalMove("too_many_cards", most=3), speech)),
        (room(round_3_own_turn), refusal(IllegalMove("not_now"), speech)),
        (room(swap_fourth_card), refusal(IllegalMove("not_your_turn"), speech)),
    ]
    assert [text for lines, text in free if len(wrap(text, 36)) > lines] == []
