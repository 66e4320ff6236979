"""Commands: lines that begin with `/`, in the chat line of a table and at the prompts. Pure.

Owns one table of them, `COMMANDS`: what each is called, what it asks for, and where callers are told of it. Everything
else reads that. Never carries a command out: whoever is asked for a wish does, or says why not here.
"""

from collections.abc import Callable, Collection
from functools import cache
from typing import Final, Literal, NamedTuple

from yawc_poker.announcing import announced
from yawc_poker.digits import decimal
from yawc_poker.engine.house import LEVELS
from yawc_poker.table_ui.intents import Invite, SendAway
from yawc_poker.terminal.kinds import Charset
from yawc_poker.words import Words, mark


class GiveWord(NamedTuple):
    """Give this as the player's word for the next game."""

    text: str


class Commit(NamedTuple):
    """Commit to a text that is not told yet, by its SHA-256."""

    digest: str


class Reveal(NamedTuple):
    """Reveal the text that the player is committed to."""

    text: str


class TellSeal(NamedTuple):
    """Show the seal, and what players are committed to, once more to the caller who asks alone."""


class TellLink(NamedTuple):
    """Tell the caller a link by which others come to this table."""


class StartGame(NamedTuple):
    """Start a game, as the master."""


class ChooseOption(NamedTuple):
    """Choose an option of the games to come; an empty text asks for what is chosen."""

    text: str


class JoinTable(NamedTuple):
    """Sit down at a table: the name of a game, perhaps followed by the table's number; empty: which games are there?"""

    text: str


class Summoning(NamedTuple):
    """Ask a user of this name to come to this table, empty: nobody was named; None: go where one is asked to come."""

    name: str | None


class WatchTable(NamedTuple):
    """Look on at a table: named as in `JoinTable`."""

    text: str


class LetSpeak(NamedTuple):
    """Let those who look on speak to the table, or not, as its master."""

    on: bool


class ShowLines(NamedTuple):
    """Tell tables in lines from now on, or draw them on a screen again."""

    lines: bool


class TellBriefly(NamedTuple):
    """Tell less in lines from now on, or all again."""

    brief: bool


class ShowAs(NamedTuple):
    """Take this for the character set of the caller's terminal."""

    charset: Charset


class Added(NamedTuple):
    """Do what a command of an extra does (`session.table.table_session.Deed`)."""

    name: str
    """The deed's."""
    text: str
    """What stands behind the command."""


class Unknown(NamedTuple):
    """There is no such command."""

    command: str


AtAnyTable = TellSeal | TellLink | ShowLines | TellBriefly | ShowAs | Added
"""What means the same in a seat and beside a table."""
Wish = (
    AtAnyTable
    | GiveWord
    | Commit
    | Reveal
    | StartGame
    | ChooseOption
    | JoinTable
    | WatchTable
    | LetSpeak
    | Summoning
    | Invite
    | SendAway
    | Unknown
)
"""What a command asks for."""

SIGN: Final = "/"
"""Begins a command."""
LONGEST: Final = 20
"""Most characters of an unknown command that are shown again."""

ToldAt = Literal["name", "prompt", "table", "house", "gallery"]
"""Where callers are told of a command.

At the name prompt, at the main prompt, at a table, at a table to which house players come, beside a table.
"""


class Command(NamedTuple):
    """A command. It means the same wherever it may be given."""

    names: str
    """What it is called, with the sign, marked for the catalogues. The first name is told, the others work, too."""
    wish: Callable[[str], Wish]
    """What it asks for, given the text behind it."""
    told: tuple[ToldAt, ...] = ()
    """Where callers read that it is there."""
    answers: str = ""
    """The words of which one may stand behind it, marked for the catalogues. A | parts words that mean the same."""


def _house(text: str) -> Wish:
    """Return what is asked of house players: "" and levels ask one to join, "off" sends all away."""
    if text == "off":
        return SendAway(everyone=True)
    level = next((level for level in LEVELS if level == text), None)
    return Invite(level) if level or not text else Unknown(f"/house {text}"[:LONGEST])


def _watchers(text: str) -> Wish:
    """Return whether those who look on may speak to the table."""
    return LetSpeak(text == "on") if text in {"on", "off"} else Unknown(f"/watchers {text}"[:LONGEST])


COMMANDS: Final = (
    Command(mark("/start"), lambda _: StartGame(), ("table",)),
    Command(mark("/option /options"), ChooseOption, ("table", "gallery")),
    Command(mark("/word"), GiveWord, ("table",)),
    Command(mark("/commit"), lambda text: Commit(text.lower()), ("table",)),
    Command(mark("/reveal"), Reveal, ("table",)),
    Command(mark("/seal"), lambda _: TellSeal(), ("table", "gallery")),
    Command(mark("/link"), lambda _: TellLink(), ("table", "gallery")),
    Command(mark("/join"), JoinTable, ("prompt", "gallery")),
    Command(mark("/watch"), WatchTable, ("prompt",)),
    Command(mark("/invite"), Summoning, ("table",)),
    Command(mark("/accept"), lambda _: Summoning(None), ("table", "gallery")),
    Command(mark("/watchers"), _watchers, ("table",), mark("on off")),
    Command(mark("/linear"), lambda _: ShowLines(lines=True), ("prompt", "table")),
    Command(mark("/screen"), lambda _: ShowLines(lines=False), ("prompt", "table")),
    Command(mark("/brief"), lambda _: TellBriefly(brief=True)),
    Command(mark("/full"), lambda _: TellBriefly(brief=False)),
    Command(mark("/utf8 /utf-8"), lambda _: ShowAs("utf-8"), ("name",)),
    Command(mark("/cp437"), lambda _: ShowAs("cp437"), ("name",)),
    Command(mark("/cp850"), lambda _: ShowAs("cp850")),
    Command(mark("/latin1 /latin-1"), lambda _: ShowAs("latin-1")),
    Command(mark("/ascii"), lambda _: ShowAs("ascii"), ("name",)),
    Command(mark("/house"), _house, ("house",), mark("easy normal hard off")),
)
"""All commands but those of extras, in the order in which they are told."""


@cache
def _commands() -> tuple[Command, ...]:
    """Return all commands; raise `ValueError` for a name without the sign, or one that two of them have."""
    found = (*COMMANDS, *announced("commands", Command))
    names = [name for one in found for name in one.names.split()]
    if len(set(names)) < len(names) or not all(name.startswith(SIGN) for name in names):
        raise ValueError(f"commands begin with {SIGN} and have different names: {names}")
    return found


def asked(line: str, languages: Collection[Words]) -> Wish | None:
    """Return what the command in a line asks for, named in any of the languages; None: it is ordinary chat."""
    name, _, rest = line.strip().partition(" ")
    if not name.startswith(SIGN):
        return None
    for command in _commands():
        if any(name.lower() in words(command.names).split() for words in languages):
            return command.wish(_in_english(rest.strip(), command.answers, languages))
    return Unknown(name[:LONGEST])


def _in_english(text: str, answers: str, languages: Collection[Words]) -> str:
    """Return one of the words that may stand behind a command, in whichever language it is; any other text as it is."""
    for words in languages if answers else ():
        for english, own in zip(answers.split(), words(answers).split(), strict=True):
            if text.lower() in own.split("|"):
                return english
    return text


def commands_at(words: Words, *places: ToldAt, between: str = ", ") -> str:
    """Return the commands that callers are told of at these places, as they are called in their language."""
    return between.join(words(one.names).split()[0] for one in _commands() if not set(places).isdisjoint(one.told))


def commands_at_table(words: Words, *, house: bool) -> str:
    """Return the commands that callers are told of at a table; `house`: house players come there."""
    return commands_at(words, "table", "house") if house else commands_at(words, "table")


def no_command(command: str, words: Words, *, house: bool) -> str:
    """Return that there is no such command at a table, and which ones there are; `house`: house players come there."""
    return words(
        "There is no command {command}. At a table there are {commands}.",
        command=command,
        commands=commands_at_table(words, house=house),
    )


def game_and_number(text: str) -> tuple[str, int | None]:
    """Return the game that `/join` names, in comparable form, and the table's number if there is one."""
    name, _, number = text.strip().rpartition(" ")
    if name and (found := decimal(number)) is not None:
        return comparable(name), found
    return comparable(text), None


def comparable(name: str) -> str:
    """Return a name as it is compared: "Mau-Mau", "mau mau" and "maumau" are the same."""
    return "".join(character for character in name.casefold() if character.isalnum())
