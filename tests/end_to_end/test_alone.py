"""A new caller who is alone plays every game there is to its end, against house players, in one call."""

import json
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import Final

from tests.end_to_end.bbs import FAST, Bbs, Caller
from yawc_poker.registry.entry import Entry
from yawc_poker.registry.games import GAMES

SHORT: Final = """
[maumau]
rounds = 1
[doppelkopf]
rounds = 1
[offiziersskat]
turn_seconds = 0.1
"""
"""The clock of Offiziersskat plays many a card for the caller: a match has some 150 of them."""
CONFIG: Final = FAST.replace("players = 0", 'pace = [0.0, 0.05]\nlevel = "easy"') + SHORT
AGAIN: Final = 0.1
"""Seconds after which a key that had no effect is pressed again."""
BUSY: Final = 0.4
"""How often they press a key; one who plays all of a match at this speed would be taken for a flood."""
OFFERED: Final = re.compile(r"\[(\S)\]")
TYPED: Final = re.compile(r".\r?", re.DOTALL)
"""A key, with ENTER behind one that asks for a number."""
ENDED: Final = "[S] Start a game"
OUTCOMES: Final = defaultdict(lambda: {"won"}, poker={"won", "lost"}, offiziersskat={"won", "lost"})
"""How a game may end that was played to its end: at poker the last one in may pass, and the house gets the pot.

A match of Offiziersskat may be a draw, which nobody has won.
"""


def presses(caller: Caller, game: Entry) -> list[str]:
    """What makes moves in this game, as far as the screen offers it, at the cards or as a command."""
    offered = OFFERED.findall(caller.left(1, 11).lower() + caller.right(7, 11).lower())
    return [keys for keys in TYPED.findall(game.rehearsal_keys) if keys[0] in offered]


def begin(caller: Caller, game: Entry) -> None:
    """Sit down with as many house players as the game needs, and start it, unless it begins by itself."""
    caller.press(f"S{game.key}")
    caller.see("play with the house (H)?")
    caller.press("h\r")
    caller.wait(lambda: started(caller), f"the beginning of {game.kind}")


def started(caller: Caller) -> bool:
    if ENDED in caller.text:
        caller.send("s\r")
        caller.listen(AGAIN)
    return "Seal of these cards" in caller.text


def play(caller: Caller, game: Entry, rng: Random) -> None:
    """Press any key that is offered, until the game is over."""
    while ENDED not in caller.text:
        assert caller.is_open, caller.text
        if (keys := presses(caller, game)) and rng.random() < BUSY:
            caller.send(rng.choice(keys))
        caller.listen(AGAIN)
        caller.drain()


def test_every_language_s_yes_is_one_at_an_empty_table(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        for number, yes in enumerate("yJo"):
            caller = bbs.call().register(f"Yes {number}")
            caller.press(f"S{GAMES[0].key}")
            caller.see("play with the house (H)?")
            caller.send(yes)
            caller.see("Master:")
            caller.send("x")
            caller.at_prompt().hang_up()


def test_a_new_caller_plays_every_game_alone_in_one_call(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", CONFIG) as bbs:
        newbie, rng = bbs.call().register("Newbie"), Random(5)
        for game in GAMES:
            begin(newbie, game)
            newbie.wait(lambda: ENDED not in newbie.text, "the cards")
            play(newbie, game, rng)
            newbie.send("x")
            newbie.at_prompt()
        told = [json.loads(line) for line in bbs.yawcctl("history", "--json").splitlines()]
        assert sorted(one["kind"] for one in told) == sorted(game.kind for game in GAMES)
        for one in told:
            assert one["outcome"] in OUTCOMES[one["kind"]], one
            verdict = bbs.yawcctl("verify", str(one["number"]))
            assert f"Game {one['number']} is proven." in verdict
            assert re.search(r"of \d house players?( \(and \d+ by the clock\))?, each by its program", verdict), verdict
        bbs.is_sound()
