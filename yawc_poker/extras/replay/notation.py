"""A finished game as a text file: all of it, so that others can tell it, and this house can prove it. Pure.

Owns the format, which the README of this folder describes: a name and a value in JSON in square brackets, then the
actions, with what each brought in English behind semicolons. Invariants: what was written reads back as the same game,
also if it was copied from a window; a line is never wider than one.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from yawc_poker.casino.bank.history import GameLine, PastGame, Proof, Summary
from yawc_poker.catalogues import words
from yawc_poker.engine.sealing import Begun
from yawc_poker.engine.transcript import Action
from yawc_poker.table_ui.definition import AnyDefinition

HEADING: Final = "% YAWC Poker game 1"
"""The first line: the format and its version."""
_TAG: Final = re.compile(r"\[(\w+) (.*)\]")
_ACTION: Final = re.compile(r"(\d+)\. (.*)")


WIDTH: Final = 76
"""Characters of a line."""
GOES_ON: Final = "+"
"""Begins a line that is the rest of the one before."""


class NotAGame(ValueError):
    """A text is no game in this format; `str()` says why, in a line."""


def written(played: PastGame, game: AnyDefinition) -> str:
    """Return a finished game as text. Raise `ValueError` if its cards are not known, or `Contradiction`."""
    if played.proof is None:
        raise ValueError("what was sealed is not known")
    lines = (*_tags(played, played.proof), "", *_actions(played, game), "")
    return "\n".join((HEADING, *(part for line in lines for part in _folded(line))))


def _folded(line: str) -> Iterator[str]:
    """Yield a line in parts that can be joined again; none ends with a blank, which whoever copies may lose."""
    start = ""
    while len(line) > WIDTH:
        cut = next(at for at in range(WIDTH, 0, -1) if line[at - 1] != " ")
        yield start + line[:cut]
        start, line = GOES_ON, line[cut:]
    yield start + line


def _tags(played: PastGame, proof: Proof) -> Iterator[str]:
    for value in (played.game, proof):
        for name in value.__struct_fields__:
            yield _tag(name, getattr(value, name))
    yield _tag("begun", played.begun)
    for line in played.lines:
        if line.kind in {"bet", "debt"}:
            yield _tag("booked", line)


def _tag(name: str, value: object) -> str:
    return f"[{name.capitalize()} {msgspec.json.encode(value).decode()}]"


def _actions(played: PastGame, game: AnyDefinition) -> Iterator[str]:
    seats = tuple(player.seat for player in played.game.players)
    told = list(game.retold.story(played.dealing(), played.actions, seats, words("en")))
    for action in played.actions:
        yield f"{action.number}. {msgspec.json.encode(action).decode()}"
        while told and told[0].at <= action.at:
            yield f"; {told.pop(0).text}"


def _unfolded(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield each whole line behind the heading with its number, from 2."""
    begun = [at for at, line in enumerate(lines) if at and not line.startswith(GOES_ON)]
    for at, end in zip(begun, [*begun[1:], len(lines)], strict=True):
        yield at + 1, lines[at] + "".join(line.removeprefix(GOES_ON) for line in lines[at + 1 : end])


def read(text: str) -> PastGame:
    """Return the game that a text has. Raise `NotAGame`."""
    lines = [line.rstrip() for line in text.lstrip("\ufeff").replace("\r", "").split("\n")]
    if lines[0] != HEADING:
        raise NotAGame(f"its first line is not {HEADING!r}")
    tags: dict[str, msgspec.Raw] = {}
    booked: list[GameLine] = []
    actions: list[Action] = []
    for number, line in _unfolded(lines):
        try:
            if tag := _TAG.fullmatch(line):
                if tag[1] == "Booked":
                    booked.append(msgspec.json.decode(tag[2], type=GameLine))
                else:
                    tags[tag[1].lower()] = msgspec.Raw(msgspec.json.encode(msgspec.json.decode(tag[2])))
            elif action := _ACTION.fullmatch(line):
                actions.append(msgspec.json.decode(action[2], type=Action))
            elif line and not line.startswith((";", "%")):
                raise NotAGame(f"line {number} is neither a tag nor an action")
        except msgspec.DecodeError as error:
            raise NotAGame(f"line {number}: {error}") from None
    whole = msgspec.json.encode(tags)
    try:
        summary, proof = msgspec.json.decode(whole, type=Summary), msgspec.json.decode(whole, type=Proof)
        begun = msgspec.json.decode(bytes(tags.get("begun", msgspec.Raw(b"null"))), type=Begun | None)
    except msgspec.DecodeError as error:
        raise NotAGame(str(error)) from None
    return PastGame(summary, tuple(booked), proof, tuple(actions), begun)
