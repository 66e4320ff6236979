"""Tables told in lines: what is new, once; the state; the keys; in all games and languages, with cards in words."""

import re
from collections.abc import Callable, Mapping
from typing import cast

import pytest
from msgspec.structs import replace

from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures, poker_pictures
from yawc_poker.cards import card
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.engine.events import SatDown
from yawc_poker.engine.game import EventT, GameEvent, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.table import read_log
from yawc_poker.engine.values import AnyTable, LogEntry, Seat, Table
from yawc_poker.games.doppelkopf.game import DOPPELKOPF
from yawc_poker.games.doppelkopf.ui.scene import usable as usable_at_doppelkopf
from yawc_poker.games.maumau.game import MAUMAU
from yawc_poker.games.maumau.ui.scene import usable as usable_at_maumau
from yawc_poker.games.offiziersskat.game import OFFIZIERSSKAT
from yawc_poker.games.offiziersskat.ui.scene import usable as usable_at_offiziersskat
from yawc_poker.games.poker.game import POKER
from yawc_poker.games.poker.model import Bet, Passed, Show
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.scene import Scene as PokerScene
from yawc_poker.games.poker.ui.scene import usable as usable_at_poker
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.page.offers import offered
from yawc_poker.table_ui import speech
from yawc_poker.table_ui.definition import Definition, Hand, plain
from yawc_poker.table_ui.guide import Guide
from yawc_poker.table_ui.layout import Small
from yawc_poker.table_ui.linear import (
    Moment,
    Told,
    Who,
    all_keys,
    cards_line,
    commands,
    folded,
    news,
    next_mark,
    other_keys,
    others,
    question,
    spoken_keys,
    spoken_row,
    state,
    without_prefix,
)
from yawc_poker.table_ui.scene import LocalT, Scene
from yawc_poker.table_ui.speech import card_text
from yawc_poker.table_ui.telling import row_lines
from yawc_poker.terminal.frame import Style
from yawc_poker.words import LANGUAGES, Language, Words

EN = words("en", spoken=True)
SIGNS = re.compile(r"(?<![\w\[])(?:10|[5-9]|[AKQJBDHV])[-+*#](?!\w)")
"""A card that is not in words."""


def moment(instance: poker_pictures.Instance, scene: PokerScene, local: Local) -> Moment:
    assert POKER.linear is not None
    table = instance.table.last if instance.table.game is None else instance.table.game
    hands: Mapping[int, Hand] = {} if table is None else POKER.public(table).hands
    cards, asked = POKER.linear.cards(scene, local, EN), POKER.linear.asked(scene, local, EN)
    return Moment(FACE.layout.small(scene, local, EN), cards, others(hands, scene, EN), asked)


class Listener:
    """Somebody at a poker table who is told it."""

    def __init__(self, instance: poker_pictures.Instance, who: int) -> None:
        self.instance = instance
        self.who = who
        self.told = Told()

    def hears(self, keys: str = "") -> tuple[str, ...]:
        scene, local = self.instance.scene(self.who), self.instance.local(self.who, keys)
        self.told, new = news(self.told, scene, local, EN, moment(self.instance, scene, local))
        return (*new.said, *new.asked)


# --- what is new, once ------------------------------------------------------------------------------------------------


def test_one_is_told_the_own_turn_with_pot_limits_and_keys_once() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    listener = Listener(instance, who)
    assert listener.hears() == (
        "The pot holds 50 CUBES.",
        "You may bet 1 to 90 CUBES.",
        "You hold High Card (ace).",
        "Your turn, 60 seconds: [B] Bet, [P] Pass, [.] Chat, [=] State, [?] Keys",
    )
    assert listener.hears() == ()
    instance.now += 5
    assert listener.hears() == ()


def test_the_own_clock_is_told_with_30_and_with_10_seconds_left() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    listener = Listener(instance, who)
    listener.hears()
    deadline = instance.table.deadline
    assert deadline is not None
    heard = []
    for left in (31, 30, 29, 15, 10, 9, 1):
        instance.now = deadline - left
        heard.append((left, listener.hears(), next_mark(listener.told, instance.scene(who))))
    assert heard == [
        (31, (), deadline - 30),
        (30, ("30 seconds left.",), deadline - 10),
        (29, (), deadline - 10),
        (15, (), deadline - 10),
        (10, ("10 seconds left.",), None),
        (9, (), None),
        (1, (), None),
    ]


def test_a_master_alone_hears_no_clock() -> None:
    instance, who, _, _ = poker_pictures.alone()
    listener = Listener(instance, who)
    assert listener.hears() == ("Keys: [S] Start a game",)
    assert instance.table.deadline is not None
    instance.now = instance.table.deadline - 5
    assert listener.hears() == ()
    assert next_mark(listener.told, instance.scene(who)) is None


def test_a_master_who_is_away_hears_no_clock_between_games() -> None:
    instance = poker_pictures.Instance(3)
    scene, local = instance.scene(101), instance.local(101)
    assert scene.deadline is not None
    heard = moment(instance, scene, local)
    for sits_out, told in ((False, ("30 seconds left.",)), (True, ())):
        before = news(Told(), replace(scene, sits_out=sits_out), local, EN, heard)[0]
        late = replace(scene, sits_out=sits_out, now=scene.deadline - 30)
        assert news(before, late, local, EN, heard)[1].said == told


def test_a_refused_number_is_told_why_and_the_turn_is_not_told_again() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    listener = Listener(instance, who)
    listener.hears()
    assert listener.hears("b") == ()
    assert listener.hears("b300\r") == ("Please type a number from 1 to 90.",)
    assert listener.hears("b300\r7") == ()
    assert listener.hears("b\x1b") == ("Keys: [B] Bet, [P] Pass",)


def test_ones_turn_is_told_while_one_is_chatting() -> None:
    instance = poker_pictures.Instance(2)
    instance.start()
    listener = Listener(instance, poker_pictures.LONG)
    listener.hears()
    instance.play(Bet(5))
    assert listener.hears(".hello") == ("It is your turn!",)
    assert listener.hears()[-1] == "Your turn, 60 seconds: [B] Bet, [P] Pass, [.] Chat, [=] State, [?] Keys"


def spoken(instance: poker_pictures.Instance, who: int) -> list[str]:
    """All that this player is told of the log."""
    assert POKER.linear is not None
    lines: list[str] = []
    for entry in read_log(instance.table, FACE.rules, who):
        lines += spoken_row(entry, POKER.linear, Who(entry.session == who, instance.table.names), EN)
    return lines


def test_cards_that_others_lay_open_are_told_with_it_and_before_the_pot_is_won() -> None:
    instance, who, _, _ = poker_pictures.showdown_own_turn()
    instance.play(Show())
    instance.finish()
    lines = spoken(instance, who)
    shown = [at for at, line in enumerate(lines) if " shows: " in line]
    won = next(at for at, line in enumerate(lines) if " wins " in line)
    assert len(shown) == 3
    assert max(shown) < won
    assert [lines[at].count(" of ") >= 5 for at in shown] == [True] * 3


def test_nobody_reads_a_seal_or_their_own_words_and_chat_has_a_mark() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    for speaker, text in ((who, "mine"), (poker_pictures.CARL, "yours")):
        instance.table = tables.chat(instance.table, speaker, text)
    lines = spoken(instance, who)
    assert not [line for line in lines if "Seal" in line or "seal" in line or "mine" in line]
    assert [line for line in lines if line.startswith("Chat, ")] == ["Chat, Carl: yours"]


def test_marks_of_a_level_are_not_read_with_each_row() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    table = cast(AnyTable, instance.table)
    passes: LogEntry[GameEvent] = LogEntry(1, 7, "Lukas**", Passed(1), 1)
    came: LogEntry[GameEvent] = LogEntry(2, 7, "Lukas**", SatDown(1), 1)
    assert row_lines(plain(POKER), table, who, passes, EN) == ("Lukas passes.",)
    assert row_lines(plain(POKER), table, who, came, EN) == ("Lukas sits down at the table; level: normal.",)


def test_a_brief_turn_has_its_own_keys_only() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    scene, local = instance.scene(who), instance.local(who)
    new = news(Told(), scene, local, EN, moment(instance, scene, local)._replace(brief=True))[1]
    assert new == ((), ("Your turn, 60 seconds: [B] Bet, [P] Pass",))


def test_keys_around_the_game_are_told_on_the_first_turn_of_a_game_only() -> None:
    instance, who, _, _ = poker_pictures.round_1_own_turn()
    scene, local = instance.scene(who), replace(instance.local(who), house="+")
    heard = moment(instance, scene, local)

    def asked(before: Told, scene: PokerScene) -> tuple[Told, str]:
        told, new = news(before, scene, local, EN, heard)
        return told, "\n".join(new.asked[3:])

    first, told = asked(Told(), scene)
    assert told == ("Your turn, 60 seconds: [B] Bet, [P] Pass, [+] A house player joins, [.] Chat, [=] State, [?] Keys")
    waits, told = asked(first, replace(scene, turn=None))
    assert told == ""
    again, told = asked(waits, scene)
    assert told == "Your turn, 60 seconds: [B] Bet, [P] Pass"
    assert asked(again, scene)[1] == ""
    assert asked(waits, replace(scene, number=scene.number + 1))[1].count("[+] A house player joins") == 1


def test_a_key_that_is_a_sign_is_named() -> None:
    assert spoken_keys("[B] Bet, [=] State, [?] Keys", EN) == (
        "[B] Bet, [=] (equals sign) State, [?] (question mark) Keys"
    )


# --- prompts ----------------------------------------------------------------------------------------------------------


def test_a_prompt_names_its_keys_and_stands_at_the_end_of_a_line() -> None:
    def asked(picture: Callable[[], poker_pictures.Picture]) -> tuple[tuple[str, ...], str, bool]:
        instance, who, keys, _ = picture()
        scene, local = instance.scene(who), instance.local(who, keys)
        found = question(scene, local, EN, FACE.layout.small(scene, local, EN))
        assert found is not None
        return found

    assert asked(poker_pictures.round_3_see_prompt) == (
        ("See the cards!", "[ENTER] alone: 5, [ESC] Back"),
        "Bet (5-85): ",
        True,
    )
    assert asked(poker_pictures.round_1_pass_question) == ((), "Do you really want to pass? (y/n) ", False)
    assert asked(poker_pictures.chat_on_own_turn) == (("[ENTER] Send the message, [ESC] Back",), "Anna: ", True)


def test_cards_are_marked_and_kept_in_words() -> None:
    assert POKER.linear is not None
    instance, who, _, _ = poker_pictures.swap_fourth_card()
    scene, one, two = instance.scene(who), instance.local(who, "1"), instance.local(who, "14")
    assert POKER.linear.echo(scene, instance.local(who), one, EN) == ("1 marked: 5 of clubs",)
    assert POKER.linear.echo(scene, two, one, EN) == ("4 kept: king of diamonds",)
    assert cards_line(POKER.linear.cards(scene, two, EN)) == (
        "[1] 5 of clubs (marked), [2] 7 of hearts, [3] 9 of spades, [4] king of diamonds (marked), [5] ace of clubs"
    )


# --- the state --------------------------------------------------------------------------------------------------------


def test_the_state_has_turn_pot_own_cards_and_everybody() -> None:
    assert POKER.linear is not None
    instance, who, _, _ = poker_pictures.round_3_own_turn()
    scene, local = instance.scene(who, 2), instance.local(who)
    facts = POKER.linear.facts(scene, local, EN)
    lines = state(scene, EN, moment(instance, scene, local), facts)
    assert lines[2].startswith("Your cards: ")
    assert (*lines[:2], *lines[3:]) == (
        "Turn: Anna, 1:00",
        f"Pot: {scene.pot} CUBES",
        "Round: 3",
        "You hold High Card (ace).",
        "You may bet 5 to 85 CUBES.",
        f"You own {scene.cash} CUBES.",
        f"{poker_pictures.LONGEST}: 5 covered cards",
        "Carl: 5 covered cards",
        "Master: Anna",
        "2 X-messages wait for you.",
    )


# --- every game, every language ---------------------------------------------------------------------------------------


def check(
    game: Definition[StateT, MoveT, EventT, OptionsT, ViewT, LocalT],
    table: Table[StateT, EventT],
    scene: Scene[ViewT],
    local: LocalT,
    usable: tuple[str, ...],
    said: Words,
) -> None:
    """Tell all that there is to tell of a moment: it is in words, names every usable key, and is told once."""
    linear, state_now = game.linear, table.last if table.game is None else table.game
    assert linear is not None
    hands: Mapping[int, Hand] = {} if state_now is None else game.public(state_now).hands
    small, cards = game.face.layout.small(scene, local, said), linear.cards(scene, local, said)
    now = Moment(small, cards, others(hands, scene, said), linear.asked(scene, local, said), linear.quiet)
    after, new = news(Told(), scene, local, said, now)
    assert news(after, scene, local, said, now) == (after, ((), ()))
    keys, facts = all_keys(scene, local, said, now), linear.facts(scene, local, said)
    log = [text for entry in table.log for text in spoken_row(entry, linear, Who(False, table.names), said)]
    scores = linear.scores(scene, local, said)
    everything = (*new.said, *new.asked, *keys, *facts, *log, *scores, *state(scene, said, now, facts))
    assert all(line.strip() and line.isprintable() for line in everything)
    assert [line for line in everything if SIGNS.search(line)] == []
    assert {offer.key for offer in offered(keys)} >= {key.lower() for key in usable}
    assert scene.turn is None or any("[=]" in line for line in new.asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_happens_is_told_in_words_with_every_key(language: Language) -> None:
    said = words(language, spoken=True)
    for one in poker_pictures.PICTURES:
        instance, who, *_ = one()
        scene = instance.scene(who)
        check(POKER, instance.table, scene, instance.local(who), usable_at_poker(scene), said)
    for two in maumau_pictures.PICTURES:
        cards, who, _ = two()
        sight = cards.scene(who)
        check(MAUMAU, cards.table, sight, cards.local(who), usable_at_maumau(sight), said)
    for three in doppelkopf_pictures.PICTURES:
        four, who, *_ = three()
        look = four.scene(who)
        check(DOPPELKOPF, four.table, look, four.local(who), usable_at_doppelkopf(look), said)
    for five in offiziersskat_pictures.PICTURES:
        pair, who, *_ = five()
        view = pair.scene(who)
        check(OFFIZIERSSKAT, pair.table, view, pair.local(who), usable_at_offiziersskat(view), said)


def test_doppelkopf_tells_each_card_that_is_played() -> None:
    assert DOPPELKOPF.linear is not None
    instance, *_ = doppelkopf_pictures.trick()
    lines = [text for entry in instance.table.log for text in DOPPELKOPF.linear.sentences(entry, Who(False, ()), EN)]
    played = [text for text in lines if " plays " in text]
    assert played
    assert instance.game.round.trick
    assert len(played) == len(instance.game.round.trick) + 4 * len(instance.game.round.tricks)


def test_the_score_names_one_who_has_left_and_nobody_who_sits_there_by_then() -> None:
    instance, *_ = doppelkopf_pictures.one_has_left()
    table, game = cast(AnyTable, instance.cheap().table), plain(DOPPELKOPF)
    lines = [text for row in table.log for text in row_lines(game, table, doppelkopf_pictures.ANNA, row, EN)]
    score = lines[lines.index("Played: normal game; Re: Anna, Bert.") :]
    assert f"Contra: fox caught ({table.names[2]}): -1" in score
    assert not any("Emil" in text for text in score)


def test_the_bets_name_one_who_has_left() -> None:
    instance = poker_pictures.Instance(3)
    instance.start()
    instance.play(Bet(5))
    left = tables.leave(instance.table, FACE.rules, 101, instance.now, poker_pictures.CLOCKS).table
    emil = Seat(109, 9, "Emil", 100)
    instance.table = tables.sit(left, FACE.rules, emil, instance.now, poker_pictures.CLOCKS)
    assert POKER.linear is not None
    scene = instance.scene(102)
    assert POKER.linear.scores(scene, instance.local(102), EN) == ("Round 1: Anna 5",)


def test_keys_of_pages_that_are_told_have_no_way_back_and_that_of_the_scores_is_named_once() -> None:
    pair, who, *_ = offiziersskat_pictures.few_left()
    view = pair.scene(who)
    assert OFFIZIERSSKAT.linear is not None
    guide = OFFIZIERSSKAT.face.full_guide(view, pair.local(who), EN)
    assert not any("[T]" in line for line in other_keys(guide, OFFIZIERSSKAT.linear.scores_key, EN))
    instance, own, *_ = doppelkopf_pictures.trick()
    scene, local = instance.scene(own), instance.local(own)
    assert DOPPELKOPF.linear is not None
    unused = [key._replace(is_usable=False) for key in DOPPELKOPF.face.full_guide(scene, local, EN).keys]
    told = tuple(other_keys(Guide(tuple(unused), "", ()), DOPPELKOPF.linear.scores_key, EN))
    assert "[L] Last trick." in told
    assert "[G] Healthy, [V] Reservation, when: before the round; [G] also ahead." in told
    assert "[C] to [G] Call, when: also when it is not your turn." in told
    assert not any("[T]" in line for line in told)


def test_keys_that_mean_nothing_now_are_told_with_when_they_do() -> None:
    many, pair = maumau_pictures.Instance(2), offiziersskat_pictures.Instance()
    assert MAUMAU.linear is not None
    assert OFFIZIERSSKAT.linear is not None
    guide = MAUMAU.face.full_guide(many.scene(101), many.local(101), EN)
    assert "[1] [2] ... Lay the card, when: on your turn." in other_keys(guide, MAUMAU.linear.scores_key, EN)
    guide = OFFIZIERSSKAT.face.full_guide(pair.scene(101), pair.local(101), EN)
    assert "arrows, [ENTER] Choose and play, when: on your turn." in other_keys(
        guide, OFFIZIERSSKAT.linear.scores_key, EN
    )


def test_a_caller_without_a_screen_can_ask_where_covered_cards_lie() -> None:
    pair = offiziersskat_pictures.Instance().start()
    assert OFFIZIERSSKAT.linear is not None
    told = OFFIZIERSSKAT.linear.facts(pair.scene(101), pair.local(101), EN)
    assert not any("lie below" in line for line in told), "below each open card"
    pair.go_on(tricks=6)
    scene = pair.scene(101)
    (mine,) = [line for line in OFFIZIERSSKAT.linear.facts(scene, pair.local(101), EN) if "of Anna lie below" in line]
    assert scene.playing is not None
    for place in scene.playing.players[0].places:
        assert place.open is None or (card_text(place.open, EN) in mine) == place.covered


def test_the_pages_of_tricks_are_told_whenever_their_key_is_pressed() -> None:
    assert DOPPELKOPF.linear is not None
    instance, who, *_ = doppelkopf_pictures.last_trick()
    scene, closed = instance.scene(who), instance.local(who)
    opened = instance.local(who, "l")
    told_once = DOPPELKOPF.linear.echo(scene, closed, opened, EN)
    assert len(told_once) == 1
    assert told_once[0].startswith("Last trick: ")
    assert DOPPELKOPF.linear.echo(scene, opened, closed, EN) == told_once


# --- phrases ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("[B] Bet   [P] Pass", ("[B] Bet", "[P] Pass")),
        ("[1] - [5] Change cards", ("[1] - [5] Change cards",)),
        ("[1] [3] Lay the card", ("[1] [3] Lay the card",)),
        ("[+] A house player joins   [-] goes", ("[+] A house player joins", "[-] goes")),
        ("Wish for a suit   [+] clubs   [-] diamonds", ("Wish for a suit", "[+] clubs", "[-] diamonds")),
        ("[<-] [->] Choose a card, or its key", ()),
        ("Who leaves now loses the game.", ("Who leaves now loses the game.",)),
    ],
)
def test_a_line_of_keys_is_taken_apart(line: str, parts: tuple[str, ...]) -> None:
    assert commands(Small([line])) == parts


def test_a_line_of_the_log_has_no_prefix_but_that_of_a_speaker() -> None:
    lines = (("[INFO] Anna passes.", Style.CYAN), ("[SYSTEM] The showdown begins.", Style.YELLOW))
    assert without_prefix(lines) == ("Anna passes.", "The showdown begins.")


def test_a_long_line_is_folded_between_keys_and_never_behind_one() -> None:
    line = "Your cards: [1] king of hearts, [2] ten of clubs, [3] 5 of spades"
    for width in range(16, 70):
        parts = folded(line, width, "  ")
        assert " ".join(part.strip() for part in parts) == line
        assert all(len(part) <= width for part in parts)
        assert not [part for part in parts if part.endswith("]")]
    assert folded("", 10, "  ") == []


@pytest.mark.parametrize(("language", "name"), [("en", "king of hearts"), ("de", "Herzkönig"), ("nl", "hartenheer")])
def test_a_card_has_a_name_in_each_language(language: Language, name: str) -> None:
    assert speech.card_text(card("K#"), words(language, spoken=True)) == name
    for shown in (words(language), words(language, symbols=True), words(language, english_cards=True)):
        assert speech.in_words(speech.card_text(card("K#"), shown), words(language, spoken=True)) == name
