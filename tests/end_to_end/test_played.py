"""The games one has played, in the casino's menu: the list, the page, and nobody else's cards."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_poker import play_to_showdown

HASH = re.compile(r"\[SYSTEM\] \d ([0-9a-f]{64})$", re.MULTILINE)
SEAL = re.compile(r"\[SYSTEM\] Seal for the next game: ([0-9a-f]{40})$", re.MULTILINE)
DOCUMENT = Path(__file__).parents[2] / "docs" / "fairness.md"
CARD = re.compile(r"(?<!\w)(?:10|[5-9JQKA])[-#*+](?!\w)")


def play(anna: Caller, bert: Caller) -> str:
    """Play a game and give the seal that was told before it, which both have read."""
    anna.send("s")
    for caller in (anna, bert):
        caller.hear("Seal of these cards:")
        caller.until("Turn:", "Anna")
    (seal,) = {str(found) for caller in (anna, bert) for found in SEAL.findall(caller.text)}
    play_to_showdown(anna, bert)
    for caller in (anna, bert):
        caller.hear("wins 44 CUBES")
    return seal


def the_script() -> str:
    """The script of the handbook, as it stands there."""
    script = DOCUMENT.read_text().partition("```python\n")[2].partition("```")[0]
    assert len(script.splitlines()) <= 33
    return script


def checked(page: str, seal: str) -> str:
    """Run the script on a page, as anybody may, in a Python that knows nothing of this program."""
    command = [sys.executable, "-I", "-S", "-c", the_script(), seal]
    return subprocess.run(command, input=page, capture_output=True, text=True, check=True).stdout


def shelled(text: str) -> str:
    return subprocess.check_output(["sh", "-c", text], text=True).split()[0]


def read_page(caller: Caller, end: str = "-- end") -> str:
    """Read a page to its end, window by window, and give all of its text."""
    read: list[str] = []
    while True:
        caller.answered().wait(lambda: caller.prompt.startswith("-- "), "a page")
        read += caller.lines[: caller.screen.cursor.y]
        if caller.prompt.startswith(end):
            caller.press(" ")
            return "\n".join(read)
        caller.press(" ")


def page_of(caller: Caller, game: int = 1) -> str:
    """Leave the table and read a game's page."""
    caller.send("x")
    caller.at_prompt()
    caller.press("SG")
    caller.see("Which game?")
    caller.press(f"{game}\r")
    return read_page(caller)


def test_the_page_of_a_game_proves_the_seal_that_was_told(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    for caller in (anna, bert):
        text = page_of(caller)
        assert f"  {seal}" in text
        assert "Checked just now: seal, cards, moves and CUBES agree." in text
        assert text.count(" is dealt ") == 1
        assert "wants to see the cards!" in text
        report = checked(text, seal)
        assert "False" not in report
        assert report.count("True") == 4 + len(re.findall(r"^  printf %s .*sha256sum$", text, re.MULTILINE))
        first = 1 if caller is anna else 6
        dealt = {int(number): card for card, number in re.findall(r"(\S+) at .* as card +(\d+):", report)}
        (cards,) = re.findall(rf"{caller.name} is dealt (.*)\.$", text, re.MULTILINE)
        assert {dealt[number] for number in range(first, first + 5)} == set(cards.split())
        row = re.search(r"^  awk.*?^\.$", text, re.MULTILINE | re.DOTALL)
        assert row is not None
        assert shelled(row[0])[:40] == seal
        one = re.findall(r"^  printf %s '(\d+) .*sha256sum$", text, re.MULTILINE)
        line = next(line for line in text.split("\n") if line.startswith(f"  printf %s '{one[0]} "))
        assert re.search(rf"^ +{one[0]} {shelled(line)}$", row[0], re.MULTILINE)
        caller.see("  Anna\n" if caller is bert else "  Bert\n", "Which game?")  # the list once more, for the next one
        caller.line("")
        caller.at_prompt()


FORGERIES: dict[str, Callable[[str], str]] = {
    "the row gives": lambda page: re.sub(r"^( +1 )[0-9a-f]{64}$", r"\g<1>" + "0" * 64, page, flags=re.MULTILINE),
    "give the order": lambda page: re.sub(r"'1 [\w/]+'", "'1 other'", page),
    "that were sealed": lambda page: re.sub(r"'1 [\w/]+'", "'1 other'", page),
    "were sealed": lambda page: re.sub(r"^( +1: )[0-9a-f]{64}$", r"\g<1>" + "0" * 64, page, flags=re.MULTILINE),
    "at position": lambda page: re.sub(r"(printf %s '\d+ )\S+", r"\1A+", page),
}


def test_the_script_finds_a_forged_page(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    anna.hear("Seal of these cards:")
    (seal,) = SEAL.findall(anna.text)
    anna.until("Turn:", "Anna")
    anna.bet("4")
    anna.hear("Anna bets 4 CUBES")
    bert.send("xx")
    anna.hear("Anna wins 24 CUBES as the only player left")
    text = page_of(anna)
    assert "False" not in checked(text, seal)
    for wrong, forge in FORGERIES.items():
        said = [line for line in checked(forge(text), seal).split("\n") if "False" in line]
        assert any(wrong in line for line in said), (wrong, said)
    assert "noted: False" in checked(text, "0" * 40)


@pytest.fixture
def hasty(tmp_path: Path) -> Iterator[Bbs]:
    """A BBS without pauses, where texts by hand are waited for as long as a test may take."""
    with Bbs(tmp_path / "data", FAST.replace("pause_seconds = 0.3", "pause_seconds = 0\nreveal_seconds = 60")) as bbs:
        yield bbs


def test_words_are_sealed_and_told_when_they_are_revealed(hasty: Bbs) -> None:
    anna, bert = hasty.seat("Anna", "Bert")
    bert.send(".")
    bert.send("/word two words\r")
    bert.see("A word has 1 to 16 ASCII letters,")
    bert.send("./seal\r")
    bert.wait(lambda: len(HASH.findall(bert.text)) == 2, "what both have sealed")
    bert.hear("Players by seat: 1 Anna, 2 Bert")
    anna.send("./WORD MyOwnWord!\r")
    for caller in (anna, bert):
        caller.hear("Anna seals another word: ")
    assert "MyOwnWord!" not in bert.transcript
    seal = play(anna, bert)
    assert re.search(r"Words: 1 MyOwnWord!, 2 \w{8}", anna.transcript)
    text = page_of(bert)
    assert re.search(r"^    '1 MyOwnWord!/[0-9a-f]{32}' \\$", text, re.MULTILINE)
    assert "False" not in checked(text, seal)


def test_a_text_of_ones_own_is_sealed_by_its_hash_and_revealed_by_hand(hasty: Bbs) -> None:
    anna, bert = hasty.seat("Anna", "Bert")
    mine = "mine/" + 59 * "x"
    digest = shelled(f"printf %s '{mine}' | sha256sum")
    bert.send("./commit 123\r")
    bert.see("A commitment is a SHA256")
    bert.send(f"./commit {digest}\r")
    for caller in (anna, bert):
        caller.hear(f"Bert seals another word: {digest[:16]}")
    bert.wait(lambda: "A commitment is a SHA256" not in bert.text, "the refusal of the first one is gone")
    anna.send(f"./commit {digest}\r")
    anna.see("Another player has sealed the same")
    anna.send("s")
    for caller in (anna, bert):
        caller.hear("Anna starts. Words are due in 60 s; by hand: /reveal")
    anna.send("./word late\r")
    anna.see("A game begins: nothing can be")
    bert.send("./reveal other\r")
    bert.see("That is not what you have")
    assert "Seal of these cards:" not in bert.transcript
    bert.send(f"./reveal {mine}\r")
    for caller in (anna, bert):
        caller.hear("Seal of these cards:")
        caller.until("Turn:", "Anna")
    (seal,) = SEAL.findall(bert.text)
    bert.send("xx")
    anna.hear("Anna wins 20 CUBES")
    text = page_of(anna)
    assert f"    '2 {mine}' \\" in text
    assert f"  2: {digest}" in text
    assert "False" not in checked(text, seal)


def test_who_does_not_reveal_is_on_the_page_of_the_next_game(tmp_path: Path) -> None:
    config = FAST.replace("pause_seconds = 0.3", "pause_seconds = 0\nreveal_seconds = 1")
    with Bbs(tmp_path / "data", config) as bbs:
        anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
        carl.send(f"./commit {64 * 'a'}\r")
        anna.hear("Carl seals another word: aaaaaaaaaaaaaaaa")
        anna.send("s")
        for caller in (anna, bert, carl):
            caller.hear("Carl withholds their word, and sits out 3 games.")
            caller.hear("Seal of these cards:")
        assert anna.field("Pot:") == "30 CUBES"
        assert "Carl (sits out)" in anna.text
        carl.see("You sit out 3 more games.")
        assert "You can play in" not in carl.text
        anna.until("Turn:", "Anna")
        seals = SEAL.findall(anna.text)
        carl.send("x")
        carl.at_prompt()
        bert.send("xx")
        anna.hear("The pot held 30 CUBES; Anna gets them all.")
        text = page_of(anna)
        assert "Carl withheld a word, so a deck before these cards was not played:" in text
        assert re.search(rf"^  d1 {seals[0]}", text, re.MULTILINE)
        assert "  d1 3: " + 64 * "a" in text
        assert "Checked just now: seal, cards, moves and CUBES agree." in text
        assert "False" not in checked(text, seals[1])
        carl.press("PAnna\r")
        carl.see("CUBES:")
        assert "withheld" not in carl.text
        carl.press("P\r")
        carl.see("Sealed words withheld: 1")


def test_a_word_comes_too_late_while_a_game_runs_and_the_seal_can_be_read_again(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    anna.hear("Seal of these cards:")
    anna.until("Turn:", "Anna")
    seal = SEAL.findall(anna.text)[-1]
    bert.send("./word late\r")
    bert.see("The cards are dealt already")
    before = len(anna.messages)
    bert.send("./siegel\r")
    bert.wait(lambda: bert.text.count(seal) == 2, "the seal again")
    assert re.search(r"^   ([0-9a-f]{64})$", bert.text, re.MULTILINE), "the whole of it"
    bert.send(".hello\r")
    anna.hear("[Bert] hello")
    assert len(anna.messages) == before + 1, "nobody else is told"


def test_it_is_told_in_german_too(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    seal = play(anna, bert)
    bert.send("x")
    bert.at_prompt()
    bert.send("LD\r")
    bert.see("Hilfe)>")
    bert.press("SG")
    bert.see("[G] Gespielte Spiele", "Welches Spiel?")
    bert.press("1\r")
    text = read_page(bert, "-- Ende")
    assert seal in text
    assert "gewann den Topf mit 44 CUBES." in text
    assert "Deine Karten und die gezeigten" in text
    assert "False" not in checked(text, seal)


def test_only_games_at_whose_table_one_sat(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    zoe = bbs.call().register("Zoe")
    play(anna, bert)
    zoe.press("SG")
    zoe.see("You have not played any games yet.")
    zoe.at_prompt()
    bert.send("x")
    bert.at_prompt()
    bert.press("SG")
    bert.see("Which game?")
    for wrong in ("2", "0", "x", "-1", "999999999"):
        bert.press(f"{wrong}\r")
        bert.see("You have no game with this number.")
    bert.press("\r")
    bert.at_prompt()


def test_a_running_game_shows_its_seal_and_nothing_hidden(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    anna.bet("4")
    carl.until("Turn:", "Bert")
    bert.send("xx")
    bert.at_prompt()
    bert.press("SG")
    bert.see("Which game?")
    bert.press("1\r")
    text = read_page(bert)
    assert "The game is still running." in text
    assert "Anna bets 4 CUBES." in text
    assert not CARD.search(text)
    assert SEAL.findall(anna.text)[0] in text


def test_a_long_list_goes_on_with_older_games(tmp_path: Path) -> None:
    config = FAST.replace("pause_seconds = 0.3", "pause_seconds = 0").replace("start_cubes = 100", "start_cubes = 1000")
    with Bbs(tmp_path / "data", config) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        for _ in range(14):
            master, other = (anna, bert) if anna.field("Master:") == "Anna" else (bert, anna)
            master.press("\x0c")
            master.see("[S]")
            master.send("s")
            master.see("[P]")
            other.send("xx")
            other.at_prompt()
            master.hear("wins 20 CUBES")
            other.sit()
        anna.send("x")
        anna.at_prompt()
        anna.press("SG")
        anna.see("Which game? (+: older ones, ENTER: back)")
        listed = re.findall(r"^ +(\d+)  \d{4}-", anna.text, re.MULTILINE)
        assert [int(one) for one in listed] == list(range(14, 2, -1))
        anna.press("+\r")
        anna.see("Which game? (ENTER: back)")
        assert re.findall(r"^ +(\d+)  \d{4}-", anna.text, re.MULTILINE) == ["2", "1"]
        assert re.search(r"^ +1  [-\d :]+ Poker +1 +[-+]10  Bert$", anna.text, re.MULTILINE)
