"""Addresses that may not call: the listener turns them away before a process is made for them."""

import json
import signal
import time

from tests.end_to_end.bbs import Bbs
from tests.end_to_end.daemons import greeted
from tests.processes import serving
from tests.waiting import wait_until


def ban(bbs: Bbs, listed: dict[str, float | None], said: str) -> None:
    """Write the list as whoever bans does, ring the listener, and wait until it says that."""
    before = bbs.log.read_text().count(said)
    (bbs.data / "banned.new").write_text(json.dumps(listed))
    (bbs.data / "banned.new").replace(bbs.data / "banned.json")
    bbs.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: bbs.log.read_text().count(said) > before, said)


def turned_away(bbs: Bbs) -> None:
    caller = bbs.call()
    caller.ended()
    assert "calls from your address are not taken" in caller.text
    assert "Name:" not in caller.text


def test_a_banned_address_is_turned_away_and_nobody_inside_is_disturbed(bbs: Bbs) -> None:
    anna = bbs.call().register("Anna")
    ban(bbs, {"127.0.0.0/8": None, "192.0.2.1": None}, "banned addresses and networks: 2")
    turned_away(bbs)
    assert "telnet: refused 127.0.0.1: its address is banned" in bbs.log.read_text()
    assert len(serving(bbs.process.pid)) == 1
    anna.press("w")
    anna.see("1 user online.")
    ban(bbs, {}, "banned addresses and networks: 0")
    bbs.call().register("Bert")


def test_a_ban_ends_by_its_time(bbs: Bbs) -> None:
    ban(bbs, {"127.0.0.1": time.time() + 3600}, "banned addresses and networks: 1")
    turned_away(bbs)
    ban(bbs, {"127.0.0.1": time.time() + 0.3, "192.0.2.1": None}, "banned addresses and networks: 2")
    wait_until(lambda: greeted("127.0.0.1", bbs.port), "the end of the ban")


def test_a_ban_holds_over_a_restart_though_the_list_was_lost(bbs: Bbs) -> None:
    bbs.yawcctl("ban", "127.0.0.1", "--for", "1h", "--reason", "flood")
    turned_away(bbs)
    assert bbs.stop() == 0
    bbs.close()
    (bbs.data / "banned.json").unlink()
    bbs.start()
    turned_away(bbs)


def test_a_list_of_bans_that_there_are_not_does_not_hold_over_a_restart(bbs: Bbs) -> None:
    ban(bbs, {"127.0.0.1": None}, "banned addresses and networks: 1")
    turned_away(bbs)
    assert bbs.stop() == 0  # as before a backup is put back that knows nothing of the ban
    bbs.close()
    bbs.start()
    bbs.call().see("Name:")


def test_a_damaged_list_changes_nothing_and_a_reload_reads_a_whole_one(bbs: Bbs) -> None:
    ban(bbs, {"127.0.0.1": None}, "banned addresses and networks: 1")
    (bbs.data / "banned.json").write_text('{"127.0.0.1"')
    bbs.process.send_signal(signal.SIGUSR1)
    wait_until(lambda: "banned addresses stay as they were" in bbs.log.read_text(), "the refusal")
    turned_away(bbs)
    (bbs.data / "banned.json").unlink()
    bbs.process.send_signal(signal.SIGHUP)
    wait_until(lambda: "banned addresses and networks: 0" in bbs.log.read_text(), "an empty list")
    bbs.call().see("Name:")
