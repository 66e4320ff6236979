"""What a page shows as buttons is what the lines of the terminal name: menus, prompts, the tables of all games."""

from collections.abc import Callable

import pytest

from tests.screens import doppelkopf_pictures, maumau_pictures, offiziersskat_pictures, poker_pictures
from yawc_poker.catalogues import words
from yawc_poker.games.doppelkopf.ui.scene import usable as usable_at_doppelkopf
from yawc_poker.games.doppelkopf.ui.screen import FACE as DOPPELKOPF
from yawc_poker.games.maumau.ui.scene import usable as usable_at_maumau
from yawc_poker.games.maumau.ui.screen import FACE as MAUMAU
from yawc_poker.games.offiziersskat.ui.scene import usable as usable_at_offiziersskat
from yawc_poker.games.offiziersskat.ui.screen import FACE as OFFIZIERSSKAT
from yawc_poker.games.poker.ui.scene import usable as usable_at_poker
from yawc_poker.games.poker.ui.screen import FACE as POKER
from yawc_poker.page.offers import asks_yes_or_no, merged, offered, yes_or_no
from yawc_poker.page.protocol import Offer, Offers
from yawc_poker.table_ui.layout import offers
from yawc_poker.words import LANGUAGES, Language


def pairs(*lines: str) -> list[tuple[str, str]]:
    return [(offer.key, offer.label) for offer in offered(lines)]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("[B] Bet   [P] Pass", [("b", "Bet"), ("p", "Pass")]),
        ("  [S] Casino", [("s", "Casino")]),
        ("  [U] UTF-8     [C] CP437 (DOS)    now: utf-8", [("u", "UTF-8"), ("c", "CP437 (DOS)")]),
        ("[ENTER] alone: 10   [ESC] Back", [("ENTER", "alone: 10"), ("ESC", "Back")]),
        ("Whose profile? (ENTER: your own) ", [("ENTER", "your own")]),
        ("[1] - [3] Change cards", [("1", "Change cards 1"), ("2", "Change cards 2"), ("3", "Change cards 3")]),
        ("[+] [*] Wish for a suit", [("+", "Wish for a suit +"), ("*", "Wish for a suit *")]),
        ("[1] ... Lay the card", [("1", "Lay the card")]),
        ("[1]A+ K- [3]10*", [("1", "A+"), ("3", "10*")]),
        ("[.] Chat   [X] Leave the table", [(".", "Chat"), ("x", "Leave the table")]),
        ("[<-] [->] Choose a card, or its key", []),
        ("-- more: any key, [Q] stops -- ", [("q", "stops")]),
        ("[Anna] hello [] [ ] [[x]]", [("x", "]")]),
        ("no keys", []),
    ],
)
def test_keys_in_a_line(line: str, found: list[tuple[str, str]]) -> None:
    assert pairs(line) == found


def test_the_last_label_of_a_key_counts_and_its_first_place() -> None:
    assert pairs("[1] Lay the card   [T] Take", "[1]A+") == [("1", "A+"), ("t", "Take")]
    assert merged([Offer("a", "1"), Offer("b", "2")], [Offer("a", "3")]) == (Offer("a", "3"), Offer("b", "2"))


def test_no_text_offers_keys_without_end() -> None:
    assert len(offered(f"[{chr(0x4E00 + at)}] x" for at in range(1000))) == 64
    assert len(offered(["[a] " + "x" * 9999])[0].label) == 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_question_has_two_answers_in_each_language(language: Language) -> None:
    said = words(language)
    assert asks_yes_or_no([said("Leave the BBS? (y/n) ")])
    assert [offer.key for offer in yes_or_no(said)] == ["y", "n"]


# --- tables -----------------------------------------------------------------------------------------------------------


def shown(keys: tuple[str, ...]) -> set[str]:
    return {key.lower() for key in keys} | {"?", "="}


def named(found: Offers) -> set[str]:
    return {offer.key for offer in found.keys} - {"ENTER"}  # which plays a card that is chosen


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", poker_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_a_page_offers_what_is_usable_at_poker(
    picture: Callable[[], poker_pictures.Picture], language: Language
) -> None:
    instance, who, _, _ = picture()
    scene, local, said = instance.scene(who), instance.local(who), words(language)
    found = offers(scene, local, said, POKER.layout.small(scene, local, said))
    assert (named(found), found.mode, found.turn) == (shown(usable_at_poker(scene)), "menu", scene.turn is not None)
    assert all(offer.label for offer in found.keys)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", maumau_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_a_page_offers_what_is_usable_at_maumau(
    picture: Callable[[], maumau_pictures.Picture], language: Language
) -> None:
    instance, who, _ = picture()
    scene, local, said = instance.scene(who), instance.local(who), words(language)
    found = offers(scene, local, said, MAUMAU.layout.small(scene, local, said))
    assert named(found) == shown(usable_at_maumau(scene))
    assert all(offer.label for offer in found.keys)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", doppelkopf_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_a_page_offers_what_is_usable_at_doppelkopf(
    picture: Callable[[], doppelkopf_pictures.Picture], language: Language
) -> None:
    instance, who, *_ = picture()
    scene, local, said = instance.scene(who), instance.local(who), words(language)
    found = offers(scene, local, said, DOPPELKOPF.layout.small(scene, local, said))
    assert named(found) == shown(usable_at_doppelkopf(scene))
    assert all(offer.label for offer in found.keys)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("picture", offiziersskat_pictures.PICTURES, ids=lambda picture: picture.__name__)
def test_a_page_offers_what_is_usable_at_offiziersskat(
    picture: Callable[[], offiziersskat_pictures.Picture], language: Language
) -> None:
    instance, who, *_ = picture()
    scene, local, said = instance.scene(who), instance.local(who), words(language)
    found = offers(scene, local, said, OFFIZIERSSKAT.layout.small(scene, local, said))
    assert named(found) == shown(usable_at_offiziersskat(scene))
    assert all(offer.label for offer in found.keys)


def test_cards_to_change_are_named_and_the_marked_ones_shown() -> None:
    instance, who, keys, _ = poker_pictures.swap_fourth_card()
    scene, said = instance.scene(who), words("en")
    local = instance.local(who, keys)
    found = {
        offer.key: offer.label for offer in offers(scene, local, said, POKER.layout.small(scene, local, said)).keys
    }
    assert scene.game is not None
    hand = [str(card) for card in scene.game.hand or ()]
    assert [found[key] for key in "12345"] == [
        f"({card})" if at in local.marks else card for at, card in enumerate(hand)
    ]
    assert local.marks


def test_prompts_ask_for_a_line_or_for_an_answer() -> None:
    said = words("en")

    def at(picture: Callable[[], poker_pictures.Picture]) -> Offers:
        instance, who, keys, _ = picture()
        scene, local = instance.scene(who), instance.local(who, keys)
        return offers(scene, local, said, POKER.layout.small(scene, local, said))

    assert (at(poker_pictures.round_3_see_prompt).mode, named(at(poker_pictures.round_3_see_prompt)) >= {"ESC"}) == (
        "line",
        True,
    )
    question = at(poker_pictures.round_1_pass_question)
    assert (question.mode, named(question) >= {"y", "n"}) == ("menu", True)
