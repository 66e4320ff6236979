"""A finished game to be looked at again: nobody sees a card that is not open to them; as text it is the same game.

The games are those of random tables (`test_conformance.Company`). That the positions are those which the tables had is
`test_positions`'s.
"""

import re
from collections import Counter
from functools import cache
from random import Random

import pytest
from msgspec.structs import replace

from tests.engine.test_conformance import Company
from tests.rows.test_rows import DOPPELKOPF, MAUMAU, OFFIZIERSSKAT, POKER, Subject
from tests.thoroughness import SOAK, sampled
from yawc_poker.casino.bank.history import PastGame, PastPlayer, Proof, Summary
from yawc_poker.casino.bank.verify import verify
from yawc_poker.catalogues import words
from yawc_poker.engine.game import EventT, MoveT, OptionsT, StateT, ViewT
from yawc_poker.engine.values import seated
from yawc_poker.extras.replay.film import Film
from yawc_poker.extras.replay.notation import WIDTH, NotAGame, read, written
from yawc_poker.extras.replay.picture import View, look_keys, picture, way_keys
from yawc_poker.extras.replay.proving import digest, told
from yawc_poker.registry.games import game_of
from yawc_poker.registry.stories import opened
from yawc_poker.table_ui.scene import NO_SEAT, ONLOOKER, LocalT
from yawc_poker.table_ui.screen import COLUMNS
from yawc_poker.table_ui.screen import WIDTH as BESIDE
from yawc_poker.words import LANGUAGES, Language

EN = words("en")


class Kept(Company[StateT, MoveT, EventT, OptionsT]):
    """A table whose games are kept as the books would have them."""

    def replay(self) -> None:
        super().replay()
        book = self.table.transcript
        assert book is not None
        assert book.deck is not None
        players = tuple(
            PastPlayer(user, self.table.names[seat], seat) for seat, user in enumerate(self.table.players) if user
        )
        number, kind = self.table.number, self.game.KIND
        game = Summary(number, 0, kind, 0.0, 1.0, "won", book.seal, book.words, players, 0, None)
        proof = Proof(book.deck.order, book.deck.secret, ())
        self.games.append(PastGame(game, (), proof, tuple(self.actions), None))

    games: list[PastGame]


def games_of(subject: Subject[StateT, MoveT, EventT, OptionsT, ViewT, LocalT], least: int = 4) -> list[PastGame]:
    """Return some games with more than a few actions."""
    found: list[PastGame] = []
    for seed in range(100):
        rng = Random(seed)
        company = Kept(subject.adapter, rng)
        company.games = []
        for _ in range(subject.steps):
            if rng.random() < 0.05 or len(seated(company.table)) < company.game.FEWEST:
                company.step()
            else:
                company.go_on()
        found += [game for game in company.games if len(game.actions) > 8]
        if len(found) >= least:
            break
    return found[:least]


@cache
def games(kind: str) -> list[PastGame]:
    match kind:
        case "poker":
            return games_of(POKER, 12)
        case "maumau":
            return games_of(MAUMAU)
        case "doppelkopf":
            return games_of(DOPPELKOPF)
        case _:
            return games_of(OFFIZIERSSKAT)


KINDS = ("poker", "maumau", "doppelkopf", "offiziersskat")


def film_of(played: PastGame, *seats: int) -> Film:
    return Film(game_of(played.game.kind).definition, played, seats)


@pytest.mark.parametrize("kind", KINDS)
def test_nobody_sees_a_card_that_is_not_open_to_them(kind: str) -> None:
    covered = 0
    for played in games(kind):
        definition = game_of(kind).definition
        for player in played.game.players:
            assert player.seat is not None
            film = film_of(played, player.seat)
            known = set(opened(definition.retold, definition.rules.DECK, played, player.user))
            assert {NO_SEAT, player.seat} <= set(film.eyes)
            for at in range(0, film.last + 1, 1 if SOAK else 3):
                for name, hand in film.hands(at, EN):
                    is_own = name == film.names[player.seat]
                    covered += "covered" in hand
                    cards = [card for card in hand.split() if card in definition.rules.DECK]
                    assert kind != "poker" or set(cards) <= known
                    assert not is_own or "covered" not in hand or film.session(at, player.seat) == ONLOOKER
    assert covered or kind != "poker"


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_leads_to_tricks_and_rounds(kind: str) -> None:
    for played in games(kind):
        film = film_of(played, 0)
        steps, at = [0], 0
        while (after := film.moved(at, "t")) != at and after is not None:
            steps.append(at := after)
        assert steps[-1] == film.last
        assert set(film.tricks) - {0} <= set(steps)
        assert film.moved(0, "KEY_END") == film.last
        assert film.moved(film.last, "w") == max((one for one in film.rounds if one < film.last), default=0)
        assert film.moved(3, "KEY_LEFT") == 2
        assert film.moved(0, "b") == 0
        assert film.moved(0, "y") is None


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_move_can_be_drawn_with_all_keys(kind: str, language: Language) -> None:
    speak = words(language)
    played = games(kind)[0]
    film = Film(game_of(kind).definition, played, None)
    assert film.is_whole
    others = look_keys(film, speak, opens=True, exports=True)
    assert len("  ".join(others)) < COLUMNS
    assert all(len(line) <= BESIDE for line in way_keys(speak))
    for at in range(0, film.last + 1, 1 if SOAK or language == "en" else 4):
        for cards in (False, True):
            for rows in (23, 24, 40):
                frame = picture(film, View(at, film.eyes[-1], cards), speak, 80, rows, others)
                text = "\n".join(row.text for row in frame.rows)
                assert all(line in text for line in way_keys(speak))
                assert others[-1] in frame.rows[min(rows, 24) - 1].text


@pytest.mark.parametrize("kind", KINDS)
def test_as_text_it_is_the_same_game(kind: str) -> None:
    for played in games(kind):
        entry = game_of(kind)
        text = written(played, entry.definition)
        assert all(len(line) <= WIDTH + 1 and line == line.rstrip() for line in text.split("\n"))
        assert read(text) == played
        assert read("\n".join(line + "   \r" for line in text.split("\n"))) == played
        found = {check.name: check.ok for check in entry.verify(read(text)).checks}
        assert found["seal"]
        assert found["moves"]


def test_a_changed_text_is_not_proven() -> None:
    played = games("poker")[0]
    entry = game_of("poker")
    text = written(played, entry.definition)
    secret = text.partition('[Secret "')[2][:8]
    forged = read(text.replace(secret, "00000000"))
    assert verify(forged, entry.definition.rules, repeat=False).verdict == "false"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "first line"),
        ("% YAWC Poker game 2\n", "first line"),
        ("% YAWC Poker game 1\nhello\n", "line 2 is neither"),
        ("% YAWC Poker game 1\n[Number oops]\n", "line 2: "),
        ("% YAWC Poker game 1\n[Number 1]\n", "missing required field"),
        ("% YAWC Poker game 1\n0. []\n", "line 2: "),
    ],
)
def test_what_is_no_game_says_why(text: str, why: str) -> None:
    with pytest.raises(NotAGame, match=why):
        read(text)


CARD = re.compile(r"(?<![\w\[])(?:10|[5-9]|[AKQJBDHVR])[-+*#](?!\w)")


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_a_caller_brings_is_told_with_its_verdict(kind: str) -> None:
    for played in games(kind):
        text, verdict = written(played, game_of(kind).definition), game_of(kind).checked(played).verdict
        for language in LANGUAGES:
            found = told(text, words(language))
            assert (found.why, found.verdict, found.number, found.kind) == ("", verdict, played.game.number, kind)
            assert found.digest == digest(replace(played, lines=()))
            assert verdict == "false" or len(found.lines) > 3
            heard = told(text, words(language, spoken=True))
            assert [line for line in heard.lines if CARD.search(line)] == [], "cards have names where they are heard"
        other = told(text.replace("[Table 0]", "[Table 1]"), words("en"))
        assert (other.verdict, other.digest != found.digest) == (verdict, True)
    secret = text.partition('[Secret "')[2][:8]
    forged = told(text.replace(secret, "00000000"), words("en"))
    assert forged.verdict == "false"
    assert any(line.startswith("seal: ") for line in forged.lines)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hello", "first line"),
        ("% YAWC Poker game 1\nhello\n", "line 2 is neither"),
        ("% YAWC Poker game 1\n[Number \x1b[31m]\n", "line 2"),
    ],
)
def test_a_text_that_is_no_game_says_why_in_harmless_characters(text: str, why: str) -> None:
    found = told(text, words("en"))
    assert found.why.startswith("This is no game as text: ")
    assert why in found.why
    assert "\x1b" not in found.why


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_made_up_breaks_it_or_reaches_the_screen_as_it_is(kind: str) -> None:
    """Lines are left out, doubled, exchanged; numbers, letters and brackets are changed."""
    rng, verdicts = Random(5), Counter[str]()
    text = written(games(kind)[0], game_of(kind).definition)
    for _ in range(sampled(600)):
        lines = text.split("\n")
        for _ in range(rng.randint(1, 3)):
            at = rng.randrange(1, len(lines))
            match rng.randrange(5):
                case 0:
                    del lines[at:]
                case 1:
                    del lines[at]
                case 2:
                    lines.insert(at, rng.choice(lines[1:]))
                case 3:
                    place = rng.randrange(len(lines[at]) + 1)
                    lines[at] = lines[at][:place] + rng.choice('0123456789-[]{}"\x1b\u202e') + lines[at][place + 1 :]
                case _:
                    lines[at] = re.sub(r"\d+", lambda _: str(rng.choice((-1, 0, 3, 7, 10**20))), lines[at], count=1)
            if len(lines) < 2:
                break
        found = told("\n".join(lines), words("en"))
        verdicts[found.why[:12] or found.verdict] += 1
        assert all(character.isprintable() for line in (found.why, *found.lines) for character in line)
    assert len(verdicts) > 1


def test_who_lays_a_game_open_shows_their_own_cards_and_no_others() -> None:
    for played in games("poker"):
        first, *others = played.game.players
        assert first.seat is not None
        nobody, opened_by_first = film_of(played), film_of(played, first.seat)
        for at in range(nobody.last + 1):
            before, after = dict(nobody.hands(at, EN)), dict(opened_by_first.hands(at, EN))
            assert all(before[one.name] == after[one.name] for one in others)
    assert Counter(nobody.eyes)[NO_SEAT] == 1
