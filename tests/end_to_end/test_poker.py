"""Whole games through real telnet: to the showdown, by fold, by timeout, with leaving, hanging up, kill -9."""

import os
import signal
import time
from pathlib import Path

from msgspec.structs import replace

from tests.end_to_end.bbs import FAST, Bbs, Caller
from tests.waiting import wait_until
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.engine.table import leave
from yawc_poker.engine.values import Clocks
from yawc_poker.games.poker.game import RULES as POKER
from yawc_poker.ipc.broadcast import Command, Kind, Ring
from yawc_poker.ipc.segment import Segment, segment_name
from yawc_poker.registry.games import POKER_TABLES, SETTINGS


def total(*callers: Caller) -> int:
    return sum(caller.cubes for caller in callers)


def play_to_showdown(first: Caller, *others: Caller) -> None:
    """Round 1, the swap, round 3 with "Karten sehen", and everybody shows."""
    bet_first(first, *others)
    play_on_from_the_swap(first, *others)


def bet_first(*everybody: Caller) -> None:
    for caller in everybody:
        caller.bet("5")
        caller.hear(f"{caller.name} bets 5")


def play_on_from_the_swap(first: Caller, *others: Caller) -> None:
    swap_and_see(first, *others)
    show(first, *others)


def swap_and_see(first: Caller, *others: Caller) -> None:
    for caller in (first, *others):
        caller.see("[D] Done")
        caller.send("12d")
        caller.hear(f"{caller.name} is done changing cards")
    first.see("[H]")
    first.send("h7\r")
    for caller in others:
        caller.bet()


def show(*everybody: Caller) -> None:
    for caller in everybody:
        caller.see("[R] Show my")
        caller.send("r")
        caller.hear(f"{caller.name} shows")


def test_two_play_to_the_showdown(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.hear("Bert sits down")
    anna.send("s")
    for caller in (anna, bert):
        caller.until("Pot:", "20 CUBES")
        caller.until("Round:", "1")
        caller.until("Turn:", "Anna")
        caller.owns(90)
    assert "[?] [?] [?] [?] [?]" in anna.left(1, 5)
    play_to_showdown(anna, bert)
    for caller in (anna, bert):
        caller.hear("wins 44 CUBES")
        caller.until("Master:", "Bert")
        caller.until("Turn:", "NO GAME")
        caller.owns(78, 122)
    assert anna.cubes != bert.cubes
    bbs.is_sound()


def test_five_play_two_games(bbs: Bbs) -> None:
    people = bbs.seat("Anna", "Bert", "Carl", "Dora", "Emil")
    for first, next_master in ((0, "Bert"), (1, "Carl")):
        order = people[first:] + people[:first]
        _start(order[0])
        play_to_showdown(*order)
        for caller in people:
            caller.until("Pot:", "NO GAME")
            caller.hear("wins")
            caller.until("Master:", next_master)
    assert total(*people) == 500


def _start(master: Caller) -> None:
    """Press S until the pause is over."""
    master.wait(lambda: _pressed(master), "the start")


def _pressed(master: Caller) -> bool:
    if master.field("Round:") == "1":
        return True
    master.send("s")
    return False


def test_last_but_one_folds(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    anna.see("[P]")
    anna.send("p")
    anna.see("(y/n)")
    anna.send("j")
    bert.until("Master:", "Bert")
    bert.bet()
    bert.see("[R] Show my")
    bert.send("r")
    bert.hear("wins 21 CUBES")
    anna.hear("wins 21 CUBES")
    anna.until("Master:", "Anna")
    anna.owns(90)
    bert.owns(110)


def test_a_turn_that_nobody_takes_is_passed(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("turn_seconds = 60", "turn_seconds = 0.4")) as bbs:
        anna, bert = bbs.seat("Anna", "Bert")
        anna.send("s")
        anna.hear("20 CUBES")
        bert.hear("20 CUBES")
        anna.until("Pot:", "NO GAME")
        anna.owns(90)
        bert.owns(90)
        figures = bbs.audit()
        assert "20" in str(figures)


def test_who_leaves_loses_his_stake_and_the_other_wins_at_once(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    anna.send("s")
    bert.until("Pot:", "20 CUBES")
    anna.send("xx")
    anna.at_prompt()
    bert.hear("wins 20 CUBES")
    bert.until("Master:", "Bert")
    bert.owns(110)
    assert "Anna" not in bert.left(1, 5)


def test_who_hangs_up_is_gone_from_the_table(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    bert.until("Turn:", "Anna")
    anna.hang_up()
    bert.hear("[SYSTEM] Anna was removed from the table.")
    bert.until("Turn:", "Bert")
    bert.until("Master:", "Bert")
    assert "Anna leaves" not in bert.text
    bert.bet("3")
    carl.bet("3")
    bert.see("[D] Done")
    assert bert.field("Pot:") == "36 CUBES"


def test_only_the_own_x_is_told_as_leaving(bbs: Bbs) -> None:
    anna, _, carl = bbs.seat("Anna", "Bert", "Carl")
    again = bbs.call().log_in("Bert")
    anna.hear("[SYSTEM] Bert was removed from the table.")
    again.send("qy")
    carl.send("x")
    anna.hear("[INFO] Carl leaves the table.")


def test_killed_on_his_turn(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    anna.bet("4")
    bert.until("Turn:", "Bert")
    bbs.session("Bert").kill()
    anna.hear("Bert was removed")
    carl.hear("Bert was removed")
    carl.until("Turn:", "Carl")
    carl.bet()
    anna.see("[D] Done")
    assert anna.field("Pot:") == "38 CUBES"
    bert.ended()


def test_killed_as_master(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    anna.bet("4")
    bbs.session("Anna").kill()
    bert.hear("Anna was removed")
    for caller in (bert, carl):
        caller.until("Master:", "Bert")
        caller.until("Turn:", "Bert")
    bert.bet()
    carl.bet()
    bert.see("[D] Done")


def test_all_killed_but_one_who_then_wins(bbs: Bbs) -> None:
    anna, _, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    carl.until("Pot:", "30 CUBES")
    for name in ("Anna", "Bert"):
        bbs.session(name).kill()
    carl.hear("wins 30 CUBES")
    carl.until("Master:", "Carl")
    carl.owns(120)


def test_stopped_on_his_turn_is_passed_by_the_others(tmp_path: Path) -> None:
    with Bbs(tmp_path / "data", FAST.replace("turn_seconds = 60", "turn_seconds = 4")) as bbs:
        anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
        anna.send("s")
        anna.bet("4")
        bert.until("Turn:", "Bert")
        process = bbs.stopped("Bert")
        carl.hear("Bert")
        carl.until("Turn:", "Carl")
        carl.bet()
        anna.see("[D] Done")
        os.kill(process.pid, signal.SIGCONT)
        bert.see("you are out of", "this game")


def test_a_lone_dead_player_is_removed_when_the_listener_rings_somebody_at_the_prompt(tmp_path: Path) -> None:
    slow = FAST.replace("duty_seconds = 0.5", "duty_seconds = 3600").replace(
        "tick_seconds = 0.2", "tick_seconds = 3600"
    )
    with Bbs(tmp_path / "data", slow) as bbs:
        watcher = bbs.call().register("Watcher")
        (anna,) = bbs.seat("Anna")
        bbs.session("Anna").kill()
        anna.ended()
        wait_until(lambda: "'Anna' is gone and was removed" in bbs.log.read_text(), "the purge")
        watcher.send("S2")
        watcher.see("Nobody is using the game")


def test_a_lost_bell_costs_one_tick(bbs: Bbs) -> None:
    (anna,) = bbs.seat("Anna")
    bert = bbs.call().register("Bert")
    instance = Instance.attach(bbs.data, SETTINGS)
    for name in ("Anna", "Bert"):
        person = instance.directory.named(name)
        assert person is not None
        instance.messages.send(person.user, "Nobody", person.user, "no bell rang for this")
        Ring(instance.segment).post(Command(Kind.XMESSAGE), [person.index])
    anna.see("1 X-message")
    bert.see("no bell rang for this")
    instance.accounts.close()


def test_a_living_caller_whose_seat_is_taken_is_told_and_stays(bbs: Bbs) -> None:
    anna, bert = bbs.seat("Anna", "Bert")
    bert.hear("Bert sits down")
    segment = Segment.attach(segment_name(bbs.data))
    cell = segment.cells[0]
    with cell.lock:
        _, header, value = cell.read()
        table = POKER_TABLES.codec.decode(value)
        token = header.seats[0]
        left = leave(table, POKER, token, time.monotonic(), Clocks(), removed=True).table
        cell.commit(replace(header, master=1, seats=(0, *header.seats[1:])), POKER_TABLES.codec.encode(left))
    bert.hear("Anna was removed")
    anna.see("You were removed from the table.")
    anna.at_prompt()


def test_killed_while_holding_the_tables_lock(bbs: Bbs) -> None:
    anna, bert, carl = bbs.seat("Anna", "Bert", "Carl")
    anna.send("s")
    anna.see("[B]")
    session = bbs.session("Anna")
    segment = Segment.attach(segment_name(bbs.data))
    lock = segment.cells[0].lock
    with segment.bank_lock:  # so that her bet waits for the bank, holding the table
        anna.send("b5\r")
        wait_until(lambda: lock.is_held and lock.holder == session.pid, "Anna's bet")
        session.kill()
        wait_until(lambda: not lock.is_held or lock.holder != session.pid, "the lock, freed by the kernel")
    for caller in (bert, carl):
        caller.hear("Anna was removed")
        caller.until("Turn:", "Bert")
    bert.bet("3")
    carl.bet()
    bert.see("[D] Done")
    assert bert.field("Pot:") == "36 CUBES"
