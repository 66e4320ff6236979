"""What helps a caller at any table: the help over the FACE, moves decided ahead, the messages from before."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures
from tests.screens.golden import agrees, but_clock, drawn
from tests.screens.poker_pictures import (
    ANNA,
    CARL,
    CLOCKS,
    DORA,
    EN,
    LONG,
    PICTURES,
    Instance,
    Picture,
    commands,
    keeps_all_ahead,
    pass_ahead,
    pause,
    render,
    round_1_own_turn,
    round_3_own_turn,
    showdown_own_turn,
    shows_ahead,
    swap_fourth_card,
    waits_for_the_turn,
)
from tests.thoroughness import sampled
from yawc_poker.cards import Rank
from yawc_poker.catalogues import words
from yawc_poker.engine import table as tables
from yawc_poker.games.doppelkopf.model import Healthy, Reserve
from yawc_poker.games.doppelkopf.ui.screen import FACE as DOPPELKOPF
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT
from yawc_poker.games.poker import rules
from yawc_poker.games.poker.model import Bet, Fold, Move, Show, Swap
from yawc_poker.games.poker.ui.scene import Local
from yawc_poker.games.poker.ui.screen import FACE
from yawc_poker.table_ui.guide import Guide, SealLine, laid_over, lines
from yawc_poker.table_ui.intents import MakeMove
from yawc_poker.table_ui.keys import press_help
from yawc_poker.table_ui.screen import STATUS_ROW
from yawc_poker.table_ui.speech import letters, rank_text, seal_now
from yawc_poker.terminal.frame import Frame, Style
from yawc_poker.words import LANGUAGES, Language

GOLDEN = Path(__file__).parent / "golden_help"

# --- the help over the screen -----------------------------------------------------------------------------------------

Helped = tuple[Frame, Guide, SealLine]


def at_poker(language: Language, columns: int, rows: int) -> Helped:
    instance, who, *_ = round_3_own_turn()
    scene, local, said = instance.scene(who), instance.local(who, "", language), words(language)
    frame = FACE.layout.render(scene, local, said, columns, rows)
    return frame, FACE.full_guide(scene, local, said), SealLine(*seal_now(instance.table, said))


def at_maumau(language: Language, columns: int, rows: int) -> Helped:
    instance, who, _ = maumau_pictures.own_turn()
    scene, local, said = instance.scene(who), instance.local(who, "", language), words(language)
    frame = MAUMAU.layout.render(scene, local, said, columns, rows)
    return frame, MAUMAU.full_guide(scene, local, said), SealLine(*seal_now(instance.table, said))


def at_doppelkopf(language: Language, columns: int, rows: int) -> Helped:
    instance, who, *_ = doppelkopf_pictures.own_turn_with_calls()
    scene, local, said = instance.scene(who), instance.local(who, (), language), words(language)
    frame = DOPPELKOPF.layout.render(scene, local, said, columns, rows)
    return frame, DOPPELKOPF.full_guide(scene, local, said), SealLine(*seal_now(instance.table, said))


def at_offiziersskat(language: Language, columns: int, rows: int) -> Helped:
    instance, who, *_ = offiziersskat_pictures.must_follow()
    scene, local, said = instance.scene(who), instance.local(who, (), language), words(language)
    frame = OFFIZIERSSKAT.layout.render(scene, local, said, columns, rows)
    return frame, OFFIZIERSSKAT.full_guide(scene, local, said), SealLine(*seal_now(instance.table, said))


TABLES: tuple[Callable[[Language, int, int], Helped], ...] = (at_poker, at_maumau, at_doppelkopf, at_offiziersskat)
each_table = pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@each_language
@pytest.mark.parametrize("english", [False, True])
def test_the_help_has_the_letters_that_the_cards_have_and_names_where_it_is_spoken(
    language: Language, english: bool
) -> None:
    read, heard = (words(language, english_cards=english, spoken=spoken) for spoken in (False, True))
    drawn_ones = letters(read).split()
    mine, fours, pair = maumau_pictures.own_turn(), doppelkopf_pictures.trick(), offiziersskat_pictures.must_follow()
    for said in (read, heard):
        texts = (
            MAUMAU.full_guide(mine[0].scene(mine[1]), mine[0].local(mine[1]), said).lines,
            DOPPELKOPF.full_guide(fours[0].scene(fours[1]), fours[0].local(fours[1]), said).lines,
            OFFIZIERSSKAT.full_guide(pair[0].scene(pair[1]), pair[0].local(pair[1]), said).lines,
        )
        for lines_of in texts:
            whole = "\n".join(line.text for line in lines_of)
            found = set(re.findall(r"(?<![\w\[])[A-Z](?![\w\]'+*#-]| card)", whole))
            assert found == (set() if said.spoken else set(drawn_ones)), whole
            if said.spoken:
                assert rank_text(Rank.ACE, said) in whole


@each_language
@each_table
def test_the_help_is_the_golden_one(table: Callable[[Language, int, int], Helped], language: Language) -> None:
    shown = laid_over(*table(language, 80, 24), words(language))
    agrees(drawn(shown), GOLDEN / f"{table.__name__}.{language}.txt")


@each_language
@each_table
def test_all_of_the_help_is_seen_and_the_status_line_stays(
    table: Callable[[Language, int, int], Helped], language: Language
) -> None:
    frame, guide, told = table(language, 80, 24)
    assert len(told.seal) == 64
    shown = laid_over(frame, guide, told, words(language))
    text = drawn(shown)
    assert all(key.text in text for key in guide.keys)
    assert all(key.when in text for key in guide.keys)
    assert all(line.text in text for line in guide.lines)
    assert told.seal in text
    assert told.label in text
    assert shown.rows[STATUS_ROW] == frame.rows[STATUS_ROW]
    assert shown.cursor is None
    wide = table(language, 132, 43)
    larger = laid_over(*wide, words(language))
    assert [row.text[:80] for row in larger.rows[:24]] == [row.text for row in shown.rows]
    assert [row.text[80:] for row in larger.rows] == [row.text[80:] for row in wide[0].rows]
    short = drawn(laid_over(*table(language, 80, 23), words(language)))
    assert all(line.text in short for line in guide.lines)


@each_language
@each_table
@pytest.mark.parametrize("size", [(40, 25), (79, 24), (80, 22)])
def test_in_a_small_window_the_turn_the_keys_and_the_cards_are_seen(
    table: Callable[[Language, int, int], Helped], language: Language, size: tuple[int, int]
) -> None:
    frame, guide, told = table(language, *size)
    shown = laid_over(frame, guide, told, words(language))
    assert shown.rows[0] == frame.rows[0]
    text = " ".join(drawn(shown).split())
    assert all(" ".join(key.text.split()) in text for key in guide.keys)
    if size[0] > 70:
        assert all(" ".join(line.text.split()) in text for line in guide.lines)


@each_table
def test_no_window_is_too_small_for_it(table: Callable[[Language, int, int], Helped]) -> None:
    for columns, rows in ((1, 1), (3, 50), (80, 1), (20, 5)):
        frame, guide, told = table("de", columns, rows)
        shown = laid_over(frame, guide, told, words("de"))
        assert (shown.columns, len(shown.rows)) == (frame.columns, len(frame.rows))


def test_a_clock_that_moves_on_below_the_help_looks_as_if_drawn_anew() -> None:
    instance, who, *_ = round_3_own_turn()
    scene, local = instance.scene(who), instance.local(who)
    later = replace(scene, now=scene.now + 51)
    told = SealLine("Seal", "f" * 64)
    guide = FACE.full_guide(scene, local, EN)
    shown = laid_over(FACE.layout.render(scene, local, EN, 80, 24), guide, told, EN)
    anew = laid_over(FACE.layout.render(later, local, EN, 80, 24), guide, told, EN)
    assert but_clock(shown) == but_clock(anew)
    assert " 0:09" in anew.rows[STATUS_ROW].text


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.__name__)
def test_the_keys_that_mean_something_now_are_marked(picture: Callable[[], Picture]) -> None:
    instance, who, *_ = picture()
    scene, local = instance.scene(who), instance.local(who)
    usable = "".join(key.text for key in FACE.full_guide(scene, local, EN).keys if key.is_usable)
    named = {key for key in "SBPH1DR" if f"[{key}]" in usable}
    offered = set("".join(local.offered)) & set("SBPH1DR")
    ahead = "Decide ahead" in usable
    assert named == ({"P", "D", "R"} if ahead else offered)
    assert ahead == (scene.turn is None and bool(offered & set("PDR")))


def test_the_own_hand_is_marked_among_all() -> None:
    instance, who, *_ = showdown_own_turn()
    (own,) = [line for line in FACE.full_guide(instance.scene(who), Local(), EN).lines if line.is_own]
    assert own.text.startswith("High Card")
    assert own.text.endswith("yours: queen")
    watching = FACE.full_guide(instance.scene(who), Local(), EN)
    instance, *_ = pause()
    assert [line.is_own for line in FACE.full_guide(instance.scene(LONG), Local(), EN).lines].count(True) == 0
    assert len(watching.lines) == 10


def test_the_same_key_shows_it_and_any_key_takes_it_away_and_does_nothing_else() -> None:
    instance, who, *_ = round_1_own_turn()
    helped, is_done = press_help(instance.local(who), "?")
    assert (helped.helps, is_done) == (True, True)
    for key in ("?", "x", "\r", "b", "+"):
        assert press_help(helped, key) == (instance.local(who), True)
    assert press_help(helped, ".") == (instance.local(who), False)
    assert press_help(instance.local(who), "b") == (instance.local(who), False)
    assert press_help(instance.local(who), "日") == (instance.local(who), True), "it is no key"
    assert press_help(helped, "日") == (helped, True)


def test_a_question_mark_is_typed_in_the_chat_line_and_helps_in_a_prompt() -> None:
    instance, who, *_ = round_1_own_turn()
    assert press_help(instance.local(who, "."), "?") == (instance.local(who, "."), False)
    assert press_help(instance.local(who, "."), "日") == (instance.local(who, "."), False)
    bets = instance.local(who, "b12")
    assert press_help(bets, "日") == (bets, False), "it stands, and is refused as no number"
    helped, is_done = press_help(bets, "?")
    assert is_done
    assert press_help(helped, "x") == (bets, True)


def test_the_help_as_lines_says_the_same() -> None:
    _, guide, told = at_poker("en", 80, 24)
    text = "\n".join(lines(guide, told, EN))
    assert all(key.text in text for key in guide.keys)
    assert told.seal in text
    assert "Full House" in text


# --- decided ahead ----------------------------------------------------------------------------------------------------


def follow(instance: Instance, local: Local, who: int) -> Local:
    return FACE.follow(local, instance.scene(who))


@pytest.mark.parametrize("picture", [pass_ahead, keeps_all_ahead, shows_ahead], ids=lambda picture: picture.__name__)
def test_a_decision_is_shown_and_taken_back_by_the_same_key(picture: Callable[[], Picture]) -> None:
    instance, who, keys, _ = picture()
    local, scene = instance.local(who, keys), instance.scene(who)
    assert local.ahead is not None
    assert any("Chosen" in line for line in commands(FACE.layout.render(scene, local, EN, 80, 24)))
    local, intent = FACE.press(local, scene, keys[0], EN)
    assert (local.ahead, local.mode, intent) == (None, "menu", None)
    assert not any("Chosen" in line for line in commands(FACE.layout.render(scene, local, EN, 80, 24)))


def test_a_pass_is_made_when_the_turn_comes_and_not_before() -> None:
    instance, who, keys, _ = pass_ahead()
    local = instance.local(who, keys)
    assert FACE.decided(local, instance.scene(who)) is None
    instance.play(Bet(5))
    local = follow(instance, local, who)
    assert FACE.decided(local, instance.scene(who)) is None
    instance.play(Bet(6))
    local = follow(instance, local, who)
    assert FACE.decided(local, instance.scene(who)) == Fold()
    instance.play(Fold())
    assert follow(instance, local, who).ahead is None


def test_all_cards_are_kept_and_the_hand_is_shown() -> None:
    for picture, before, move in ((keeps_all_ahead, Swap((0,)), Swap()), (shows_ahead, Show(), Show())):
        instance, who, keys, _ = picture()
        local = instance.local(who, keys)
        while instance.scene(who).turn is None:
            assert FACE.decided(local, instance.scene(who)) is None
            instance.play(before)
            local = follow(instance, local, who)
        assert FACE.decided(local, instance.scene(who)) == move


def test_a_pass_does_not_hold_once_everybody_else_is_out() -> None:
    instance, who, keys, _ = pass_ahead()
    local = instance.local(who, keys)
    instance.play(Fold(), Fold())
    for session in (DORA, 105):
        instance.table = tables.leave(instance.table, rules, session, instance.now, CLOCKS).table
    scene = instance.scene(who)
    assert scene.turn is not None
    assert FACE.decided(local, scene) is None
    assert follow(instance, local, who).ahead is None


def test_a_decision_is_for_this_round_of_this_game_only() -> None:
    instance, who, keys, _ = pass_ahead()
    local = instance.local(who, keys)
    instance.play(Bet(5), Bet(5))
    table = instance.table
    instance.play(Bet(5), Bet(5), Bet(5), *[Swap()] * 5)
    assert instance.scene(who).game is not None
    local_later = follow(instance, local, who)
    assert local_later.ahead is None
    instance.play(Bet(5), Bet(5))
    assert instance.scene(who).turn is not None
    assert FACE.decided(local, instance.scene(who)) is None
    instance.table = replace(table, number=table.number + 1)
    assert FACE.decided(local, instance.scene(who)) is None


def test_who_has_had_their_turn_or_is_out_decides_nothing() -> None:
    instance, who, *_ = waits_for_the_turn()
    instance.play(Bet(5), Bet(5), Bet(5))
    for session in (ANNA, LONG, CARL):
        assert FACE.press(instance.local(session), instance.scene(session), "p", EN)[0].mode == "menu"
    instance, who, *_ = swap_fourth_card()
    assert who == ANNA
    assert instance.local(LONG, "d").ahead is not None
    assert instance.local(LONG, "12").marks == ()


def test_the_question_about_the_turn_that_comes_is_the_one_on_turn_then() -> None:
    instance, who, *_ = waits_for_the_turn()
    local = instance.local(who, "p")
    earlier = instance.table
    instance.play(Bet(5), Bet(5))
    answered, intent = FACE.press(local, instance.scene(who), "y", EN)
    assert (answered.mode, answered.ahead, intent) == ("menu", None, MakeMove(Fold()))
    shown = commands(FACE.layout.render(instance.scene(who), follow(instance, local, who), EN, 80, 24))
    assert shown[0] == "Do you really want to pass? (y/n)"
    instance.table = earlier
    instance.play(Fold(), Fold())
    for session in (DORA, 105):
        instance.table = tables.leave(instance.table, rules, session, instance.now, CLOCKS).table
    assert instance.scene(who).turn is not None
    assert follow(instance, local, who).mode == "menu"


@settings(max_examples=sampled(40))
@given(st.lists(st.sampled_from(["p", "y", "py", "d", "r", "n", "", "1"]), min_size=1, max_size=9))
def test_a_decision_is_made_in_the_round_it_was_chosen_in_and_is_always_legal(keys: list[str]) -> None:
    """Through a whole game in which everybody types anything before their turn."""
    instance, step = Instance(4), 0
    instance.start()
    kept = {session: Local() for session in (ANNA, LONG, CARL, DORA)}
    while (game := instance.table.game) is not None and (current := game.current) is not None:
        for session, before in kept.items():
            scene = instance.scene(session)
            local = FACE.follow(FACE.hear(before, instance.table.log, session, EN), scene)
            for key in keys[(step + session) % len(keys)] if scene.turn is None else "":
                local, intent = FACE.press(local, scene, key, EN)
                assert intent is None
            kept[session] = local
        mover = 101 + current
        move, ahead = FACE.decided(kept[mover], instance.scene(mover)), kept[mover].ahead
        assert move is None or (ahead is not None and ahead.stage == f"{game.phase} {game.round}")
        usual: dict[str, Move] = {"bet": Bet(game.low, see=game.round > 2), "swap": Swap(), "showdown": Show()}
        instance.play(move or usual[game.phase])
        step += 1


def test_healthy_may_be_said_ahead_at_doppelkopf() -> None:
    instance = doppelkopf_pictures.Instance().start()
    game = instance.table.game
    assert game is not None
    assert game.current is not None
    asked, later = game.current, (game.current + 1) % 4
    session = (doppelkopf_pictures.ANNA, doppelkopf_pictures.BERT, doppelkopf_pictures.CARL, doppelkopf_pictures.DORA)
    local = instance.local(session[later], ("g",))
    assert local.ahead is not None
    assert instance.local(session[later], ("g", "g")).ahead is None
    assert DOPPELKOPF.decided(local, instance.scene(session[later])) is None
    assert "Chosen: healthy" in drawn(DOPPELKOPF.layout.render(instance.scene(session[later]), local, EN, 80, 24))
    instance.move(asked, Healthy())
    scene = instance.scene(session[later])
    local = DOPPELKOPF.follow(local, scene)
    assert DOPPELKOPF.decided(local, scene) == Healthy()
    instance.move(later, Reserve())
    assert DOPPELKOPF.follow(local, instance.scene(session[later])).ahead is None


# --- the winner, and the messages from before -------------------------------------------------------------------------


def test_the_winner_is_marked_until_the_next_game() -> None:
    instance, *_ = pause()
    for who, marks in ((ANNA, 1), (CARL, 1), (LONG, 0)):
        frame = FACE.layout.render(instance.scene(who), Local(), EN, 80, 24)
        rows = [row for row in frame.rows[1:5] if "!" in row.text[:40]]
        assert len(rows) == marks
        assert all(row.text.startswith("Abcdefg") and row.styles[0] == Style.NEWEST for row in rows)
    instance.now += 30
    instance.start()
    assert not any(
        "!" in row.text[:40] for row in FACE.layout.render(instance.scene(ANNA), Local(), EN, 80, 24).rows[1:5]
    )


def test_nobody_is_marked_who_only_sits_where_the_winner_sat() -> None:
    instance, *_ = pause()
    instance.table = tables.leave(instance.table, rules, LONG, instance.now, CLOCKS).table
    instance.sit(1)
    frame = FACE.layout.render(instance.scene(ANNA), Local(), EN, 80, 24)
    assert frame.rows[1].text.startswith("Abcdefg")
    assert "!" not in frame.rows[1].text[:40]


def test_a_newcomer_to_a_large_window_sees_what_was_said_also_by_who_has_left() -> None:
    instance = Instance(2)
    instance.table = tables.chat(instance.table, LONG, "I must go, good luck")
    instance.table = tables.leave(instance.table, rules, LONG, instance.now, CLOCKS).table
    instance.sit(2)
    local = instance.local(CARL)
    assert any("I must go, good luck" in text for text, _ in local.talk.latest(10))
    assert any("I must go, good luck" in text for text, _ in local.past)
    assert "I must go, good luck" in drawn(render((instance, CARL, "", 0), "en", 80, 40)).split("Messages")[1]
