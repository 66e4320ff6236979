"""The table of sysop actions: each row is complete, and a row is all that a new one needs."""

import argparse
from gettext import NullTranslations
from typing import cast

import msgspec
import pytest

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation import actions as table
from yawc_poker.casino.moderation.procedure import Done, Sysop
from yawc_poker.casino.moderation.rows import (
    Arguments,
    DeskEntry,
    InFavour,
    LogKind,
    Notice,
    Subcommand,
    SysopActionRow,
)
from yawc_poker.casino.users.sysop_log import SysopAction
from yawc_poker.control import requests
from yawc_poker.control.protocol import BadRequest, sysop_request, write_request
from yawc_poker.control.requests import all_requests, read_request
from yawc_poker.session.caller import notices
from yawc_poker.session.menus import sysop as desk
from yawc_poker.sysop import __main__ as yawcctl
from yawc_poker.sysop import actions
from yawc_poker.sysop.command import Command
from yawc_poker.words import Words

ANNE = Sysop(cast(Instance, None), "Anne")
ROWS = tuple(table.SYSOP_ACTIONS.values())


def test_words_kinds_and_keys_are_used_once() -> None:
    assert {row.word for row in ROWS} < all_requests().keys()
    assert len(table.KINDS) == sum(len(one.kinds) for one in ROWS)
    keys = [one.desk.key for one in ROWS if one.desk]
    assert len({*keys, "A", "V", "Q"}) == len(keys) + 3


@pytest.mark.parametrize("one", ROWS, ids=lambda one: one.word)
def test_the_desk_asks_for_what_an_action_needs(one: SysopActionRow) -> None:
    if one.desk is None:
        return
    asked = {desk._ARGUMENT_OF.get(question, question) for question in one.desk.asks}
    fields = msgspec.structs.fields(one.arguments)
    assert {field.name for field in fields if field.required} <= asked <= {field.name for field in fields}


def test_the_menu_has_the_keys_in_their_order() -> None:
    assert "".join(desk.MENU.keys) == "WTLKBUVPODGCSAN"


@pytest.mark.parametrize("line", [0, 2**63, "1"])
def test_a_line_on_the_wall_has_a_number_that_a_database_can_hold(line: object) -> None:
    assert read_request(write_request(sysop_request("wipe", line=2**63 - 1)), all_requests())
    with pytest.raises(BadRequest, match="not a request"):
        read_request(write_request(sysop_request("wipe", line=line)), all_requests())


def test_arguments_of_another_action_are_refused() -> None:
    with pytest.raises(TypeError, match="say takes ToAll, not InFavour"):
        table.SYSOP_ACTIONS["say"].carry_out(ANNE, InFavour(name="Anna"))


def greet(sysop: Sysop, its: Arguments) -> Done:
    assert isinstance(its, InFavour)
    return Done(SysopAction(1, "greet", 2, its.name, None, None, its.reason, sysop.by, 0.0), online=True)


@pytest.fixture
def greeting(monkeypatch: pytest.MonkeyPatch) -> SysopActionRow:
    """A sysop action that there never was."""
    kind = LogKind("greet", "Greeted", "{whom} is greeted, {news}.", notice=Notice("Hello: {reason}"))
    entry = DeskEntry(1000, "H", "Greet", ("name",))
    made = SysopActionRow("greet", InFavour, greet, (kind,), Subcommand("greet a user", ()), entry)
    monkeypatch.setitem(table.SYSOP_ACTIONS, "greet", made)
    monkeypatch.setitem(table.KINDS, "greet", kind)
    return made


def test_a_row_is_all_that_a_new_action_needs(greeting: SysopActionRow) -> None:
    asked = write_request(sysop_request("greet", name="Anna", reason="first call"))
    row, arguments = read_request(asked, all_requests())
    assert isinstance(arguments, InFavour)
    assert row.enters
    done = greeting.carry_out(ANNE, arguments)
    assert actions.sentence(done) == "Anna is greeted, at once."
    assert notices.sentence(done.action, Words("en", NullTranslations()))[0] == "Hello: first call"
    assert desk.desk_menu().keys[-1] == "H"
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers()
    for command in actions.commands():
        command.add_to(commands)
    chosen = parser.parse_args(["greet", "Anna"])
    assert (chosen.name, chosen.reason) == ("Anna", "")


def test_a_word_that_an_extra_brings_again_is_an_error_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    again = next(row for row in all_requests().values() if row.word == "status")
    monkeypatch.setattr(requests, "announced", lambda place, kind: (again,))
    with pytest.raises(ValueError, match="two requests have one word"):
        all_requests()


def test_a_subcommand_that_an_extra_brings_again_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    again = Command("status", lambda chosen: 0, "show it again", ())
    monkeypatch.setattr(yawcctl, "announced", lambda place, kind: (again,))
    with pytest.raises(ValueError, match="two subcommands are called status"):
        yawcctl.all_commands()


def test_an_extras_subcommand_is_listed_behind_the_one_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    brought = (
        Command("first", lambda chosen: 0, "do something", (), after="who"),
        Command("last", lambda chosen: 0, "do something else", (), after="what is not there"),
    )
    monkeypatch.setattr(yawcctl, "announced", lambda place, kind: brought)
    names = [command.name for command in yawcctl.all_commands()]
    assert names[names.index("who") + 1] == "first"
    assert names[-1] == "last"
