"""Commands: lines that begin with `/`, in the chat line of a table and at the prompts. Pure.

Owns their names in all languages, and the contract of a game's options (`Choices`), which `/option` shows and sets.
Never decides what a command does, nor where it means something.
"""

from collections.abc import Callable
from typing import Generic, NamedTuple

from yawc_poker.digits import decimal
from yawc_poker.engine.game import IllegalMove, OptionsT
from yawc_poker.engine.house import Level
from yawc_poker.table_ui.intents import Invite, SendAway
from yawc_poker.terminal.kinds import Charset
from yawc_poker.words import Words


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


class ShowAs(NamedTuple):
    """Take this for the character set of the caller's terminal."""

    charset: Charset


class Unknown(NamedTuple):
    """There is no such command."""

    command: str


Command = (
    GiveWord
    | Commit
    | Reveal
    | TellSeal
    | StartGame
    | ChooseOption
    | JoinTable
    | WatchTable
    | LetSpeak
    | Summoning
    | ShowLines
    | ShowAs
    | Invite
    | SendAway
    | Unknown
)

SIGN = "/"
"""Begins a command."""
WATCHERS = "/watchers"
AT_TABLE = (
    "/start",
    "/option",
    "/word",
    "/commit",
    "/reveal",
    "/seal",
    "/invite",
    "/accept",
    WATCHERS,
    "/linear",
    "/screen",
)
"""The commands that mean something at a table, as they are told."""
HOUSE = "/house"
"""Another one, where there are house players."""
LONGEST = 20
"""Most characters of an unknown command that are shown again."""
_LEVELS: dict[str, Level] = {
    **dict.fromkeys(("easy", "leicht", "makkelijk"), "easy"),
    **dict.fromkeys(("normal", "normaal"), "normal"),
    **dict.fromkeys(("hard", "schwer", "moeilijk"), "hard"),
}
_AWAY = ("off", "aus", "weg", "uit")
_ON = ("on", "an", "ein", "aan")


def _house(text: str) -> Command:
    """Return what is asked of house players: "" and levels ask one to join, "off" sends all away."""
    word = text.lower()
    if word in _AWAY:
        return SendAway(everyone=True)
    return Invite(_LEVELS.get(word)) if not word or word in _LEVELS else Unknown(f"{HOUSE} {text}"[:LONGEST])


def _watchers(text: str) -> Command:
    """Return whether those who look on may speak to the table."""
    word = text.lower()
    return LetSpeak(word in _ON) if word in (*_ON, *_AWAY) else Unknown(f"{WATCHERS} {text}"[:LONGEST])


_NAMES: tuple[tuple[Callable[[str], Command], str], ...] = (
    (GiveWord, "word wort woord"),
    (lambda text: Commit(text.lower()), "commit festlegen vastleggen"),
    (Reveal, "reveal aufdecken onthullen"),
    (lambda _: TellSeal(), "seal siegel zegel"),
    (lambda _: StartGame(), "start"),
    (ChooseOption, "option options optionen optie opties"),
    (JoinTable, "join"),
    (Summoning, "invite einladen uitnodigen"),
    (lambda _: Summoning(None), "accept annehmen aannemen"),
    (WatchTable, "watch zuschauen kijken"),
    (_watchers, "watchers zuschauer kijkers"),
    (lambda _: ShowLines(lines=True), "linear lineair zeilen regels"),
    (lambda _: ShowLines(lines=False), "screen bildschirm scherm"),
    (lambda _: ShowAs("utf-8"), "utf8 utf-8"),
    (lambda _: ShowAs("cp437"), "cp437"),
    (lambda _: ShowAs("ascii"), "ascii"),
    (_house, "house haus huis"),
)
_COMMANDS = {name: make for make, names in _NAMES for name in names.split()}


def asked(line: str) -> Command | None:
    """Return the command in a line; None: it is ordinary chat."""
    command, _, rest = line.strip().partition(" ")
    if not command.startswith(SIGN):
        return None
    make = _COMMANDS.get(command.removeprefix(SIGN).lower())
    return Unknown(command[:LONGEST]) if make is None else make(rest.strip())


def no_command(command: str, words: Words, *, house: bool) -> str:
    """Return that there is no such command at a table, and which ones there are; `house`: house players come there."""
    return words(
        "There is no command {command}. At a table there are {commands}.",
        command=command,
        commands=", ".join((*AT_TABLE, HOUSE) if house else AT_TABLE),
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


# --- options ---------------------------------------------------------------------------------------------------------


class Choices(NamedTuple, Generic[OptionsT]):
    """What `/option` does at a game's tables."""

    terms: Callable[[OptionsT, Words], tuple[str, ...]]
    """How a game with these options is played and what is at stake, in sentences."""
    usage: Callable[[Words], str]
    """What may be typed after `/option`, or who chooses the options of this game."""
    choose: Callable[[OptionsT, str], OptionsT]
    """The options after such a line, as `rounds 8`. Raise `IllegalMove`: "no_option" (the caller reads `usage`), or
    "option_range" (`low`, `high`)."""


def no_terms(options: OptionsT, words: Words) -> tuple[str, ...]:
    """Return nothing: there is nothing to tell of a game without options."""
    return ()


def no_usage(words: Words) -> str:
    """Return that there is nothing to choose."""
    return words("This game has no options.")


def nothing_to_choose(options: OptionsT, text: str) -> OptionsT:
    """Raise "no_option": the master cannot choose anything."""
    raise IllegalMove("no_option")


def number(text: str, low: int, high: int) -> int:
    """Return the number that follows an option's name. Raise "no_option" if there is none, "option_range"."""
    if not text:
        raise IllegalMove("no_option")
    found = decimal(text)
    if found is None or not low <= found <= high:
        raise IllegalMove("option_range", low=low, high=high)
    return found
