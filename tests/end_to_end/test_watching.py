"""Looking on at a table: two play, others watch by telnet, talk, are killed, sit down. Nobody else is disturbed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.end_to_end.test_hidden_cards import ESCAPES, cards_in
from tests.end_to_end.test_poker import bet_first, show, swap_and_see
from tests.waiting import wait_until

LOWER_LINE = 22
CROWD = 20


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Bbs]:
    with Bbs(tmp_path / "data", FAST + "[maumau]\nport = 0\n") as bbs:
        yield bbs
        bbs.is_sound()


def sees_watching(caller: Caller, *names: str) -> None:
    """Wait until the lower line names exactly these."""
    shown = f" Watching: {', '.join(names)} " if names else ""
    caller.wait(lambda: _watching(caller) == shown, f"on-lookers {names}")


def _watching(caller: Caller) -> str:
    line = str(caller.screen.display[LOWER_LINE])
    return f" Watching:{line.partition('Watching:')[2].partition('─')[0]}" if "Watching:" in line else ""


def look_on(bbs: Bbs, name: str) -> Caller:
    caller = bbs.call().register(name)
    caller.press("/watch poker\r")
    caller.see("Master:", "Watching:")
    return caller


def says(caller: Caller, key: str, hint: str, text: str) -> None:
    caller.send(key)
    caller.see(hint)
    caller.send(f"{text}\r")


def test_two_play_and_others_look_on(hall: Bbs) -> None:
    dora = hall.call().register("Dora")
    dora.press("So")
    dora.see("Nobody sits at any table at the moment.")
    dora.at_prompt()
    anna, bert = hall.seat("Anna", "Bert")
    dora.press("SO")
    dora.see("Poker table: Anna, Bert", "Look on there? (y/n)")
    dora.press("y")
    dora.see("Anna", "Bert", "[S] Sit down", "Dora, watching", "You are watching")
    for caller in (anna, bert, dora):
        sees_watching(caller, "Dora")
    anna.hear("[SYSTEM] Dora is watching.")
    emil = look_on(hall, "Emil")
    for caller in (anna, dora, emil):
        sees_watching(caller, "Dora", "Emil")

    # They talk among themselves, and with the table once its master lets them.
    says(dora, ".", "Only those who watch read this.", "psst")
    emil.hear("(Dora, watching) psst")
    dora.hear("(Dora, watching) psst")
    bert.send("./watchers on\r")
    bert.see("Only the Game-Master may do that.")
    anna.send("./watchers on\r")
    emil.hear("Anna lets those who watch speak to the table.")
    says(emil, ".", "Everybody at the table reads this.", "hello")
    for caller in (anna, bert, dora, emil):
        caller.hear("[Emil, watching] hello")
    says(emil, ",", "Only those who watch read this.", "again")
    dora.hear("(Emil, watching) again")
    anna.send(".welcome\r")
    dora.hear("[Anna] welcome")
    hall.yawcctl("twit", "Emil", "--for", "1h", "--reason", "a test")
    emil.hear("The sysops have taken your right to write to others until")
    emil.send(".x\r")
    emil.see("The sysops have taken your right")
    assert not any("psst" in caller.transcript or "again" in caller.transcript for caller in (anna, bert))

    # They see the game as everybody may, and no card before it is shown.
    anna.send("s")
    dora.until("Turn:", "Anna")
    dora.see("[?] [?] [?] [?] [?]")
    dora.send("bp1dr")  # no key of play means anything here
    bet_first(anna, bert)
    swap_and_see(anna, bert)
    dora.hear("The showdown begins.")
    assert cards_in(ESCAPES.sub("\0", dora.transcript)) == set()
    show(anna, bert)
    dora.until("Pot:", "NO GAME")
    dora.hear("wins")

    # Sysops see them, and may show them out. One who is killed is gone, and nobody else is told to go.
    who, tables = hall.yawcctl("who"), hall.yawcctl("tables")
    assert "poker 1, watching" in who
    assert "(2 watching)" in tables
    zoe = hall.call().register("Zoe")
    zoe.press("w")
    zoe.see("Poker table, watching")
    hall.session("Emil").kill()
    emil.ended()
    for caller in (anna, bert, dora):
        sees_watching(caller, "Dora")
    zoe.press("/watch poker\r")
    sees_watching(anna, "Dora", "Zoe")
    hall.yawcctl("kick", "Zoe", "--reason", "a test")
    zoe.ended()
    sees_watching(anna, "Dora")
    assert not any("removed" in message for caller in (anna, bert) for message in caller.messages)

    # From there to a seat, and away from it; the other games have the same place beside them.
    dora.press("s")
    dora.see("100 CUBES")
    bert.hear("Dora sits down at the table.")
    sees_watching(bert)
    dora.send("x")
    dora.at_prompt()
    for game, seen in (("maumau", "Open:"), ("doppelkopf", "Doppelkopf is for four"), ("offiziersskat", "is for two")):
        dora.press(f"/watch {game}\r")
        dora.see(seen, "[S] Sit down", "Watching: Dora")
        dora.press("x")
        dora.at_prompt()


def test_a_crowd_looks_on_and_dies(hall: Bbs) -> None:
    anna, bert = hall.seat("Anna", "Bert")
    lina = hall.call().register("Lina")
    lina.press("/linear\r")
    lina.see("Tables are told in lines.")
    lina.press("/watch poker\r")
    lina.see("You are watching: you see what everybody may see", "Watching: Lina")
    lina.send("?")
    lina.see("/brief tells less", "Hands, the best first:")
    assert "when: your turn" not in lina.transcript
    dora = look_on(hall, "Dora")
    lina.see("Dora is watching.")
    dora.send("x")
    lina.see("Dora is not watching any more.")
    lina.press("x")
    lina.at_prompt()
    emil = look_on(hall, "Emil")
    sees_watching(anna, "Emil")
    emil.hang_up()
    sees_watching(anna)  # no place is kept for somebody without a seat
    crowd = [look_on(hall, f"Zoe {number:02}") for number in range(CROWD)]
    anna.wait(lambda: "and 15 more" in anna.lines[LOWER_LINE], "the number of those who look on")
    anna.send(".hello\r")
    for caller in crowd:
        caller.hear("[Anna] hello")
    for number in range(CROWD):
        hall.session(f"Zoe {number:02}").kill()
    for caller in (anna, bert):
        sees_watching(caller)
    anna.send("s")
    bert.until("Turn:", "Anna")
    wait_until(lambda: "Zoe" not in hall.yawcctl("who"), "the records of the dead")
