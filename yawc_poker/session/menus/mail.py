"""`B` and `X`: letters, to somebody who need not be online, and X-messages, to somebody who is.

Owns the conversations; how many letters a box holds is `casino.meeting.mail`'. A letter counts as a line written to
others. A letter counts as read once it was sent to its reader's terminal.
"""

from collections.abc import Sequence
from functools import partial
from typing import Literal

from yawc_poker.casino import counters
from yawc_poker.casino.meeting.mail import LINE_LENGTH, LINES, MOST_LETTERS, BoxFull, Letter
from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.users.accounts import User
from yawc_poker.digits import decimal
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.page.protocol import Offer
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.notices import day, in_column
from yawc_poker.session.caller.prompts import ask_key, ask_line, ask_name, ask_rest, ask_text, ask_yes
from yawc_poker.terminal.frame import Style

SHOWN = 12
"""Letters listed at once."""
BEGINNING = 28
"""Characters of a letter's beginning in the list."""
_INDENT = "    "


def letter_box(caller: Caller) -> None:
    """`B`: list the letters until the caller goes back."""
    skipped = 0
    while True:
        letters = caller.instance.meeting.letters.box(caller.user.id, SHOWN, skipped)
        _list(caller, letters, skipped)
        prompt = caller.words("[W] write, [O] older ones, or the number of a letter (ENTER: back) ")
        key = ask_key(caller, prompt, partial(_listed, letters, skipped, caller.config.bbs.name)).upper()
        if decimal(key) is not None:
            answer = ask_rest(caller, key, 3)
            if answer:
                _read(caller, letters, (decimal(answer) or 0) - 1 - skipped)
            continue
        caller.console.finish()
        if key == "W":
            name = ask_name(caller, caller.words("To: "))
            if name:
                write_to(caller, name)
        elif key == "O":
            skipped = skipped + SHOWN if len(letters) == SHOWN else 0
        else:
            return


def _answer(number: int) -> str:
    """Return what is typed for a letter of the list: more than one digit, since one alone is waited behind."""
    return f"{number:02}"


def _listed(letters: Sequence[Letter], skipped: int, bbs: str) -> list[Offer]:
    return [Offer(_answer(number), letter.from_name or bbs) for number, letter in enumerate(letters, skipped + 1)]


def _list(caller: Caller, letters: Sequence[Letter], skipped: int) -> None:
    words, say = caller.words, caller.console.say
    box = caller.instance.meeting.letters
    say()
    say(
        words(
            "Letters: {all} of {most}, new: {new}", all=box.count(caller.user.id), most=MOST_LETTERS, new=_new(caller)
        )
    )
    for number, letter in enumerate(letters, skipped + 1):
        beginning = letter.text.partition("\n")[0]
        if len(beginning) > BEGINNING or "\n" in letter.text:
            beginning = beginning[: BEGINNING - 3] + "..."
        sign = " " if letter.read else ">"
        name = letter.from_name or caller.config.bbs.name
        line = f"  {number:>3} {sign} {in_column(letter.sent)}  {name:<20.20}  {beginning}"
        say(line.rstrip(), Style.PLAIN if letter.read else Style.BOLD, means=_answer(number))
    if not all(letter.read for letter in letters):
        say(words("Those with a > are new."))


def _new(caller: Caller) -> int:
    return caller.instance.meeting.letters.count_new(caller.user.id)


def _read(caller: Caller, letters: Sequence[Letter], chosen: int) -> None:
    """Show one of these letters, and do with it what the caller wants."""
    words, say, box = caller.words, caller.console.say, caller.instance.meeting.letters
    if not 0 <= chosen < len(letters):
        say(words("There is no such letter."), Style.YELLOW)
        return
    letter = letters[chosen]
    sender = letter.from_name or caller.config.bbs.name
    say()
    say(words("From {name}, {when}:", name=sender, when=day(letter.sent)), Style.BOLD)
    for line in letter.text.split("\n"):
        say(_INDENT + line, Style.CYAN, means=None)
    say()
    caller.line.flush()
    box.mark_read(caller.user.id, letter.id)
    answered = words("[A] answer, [D] delete (ENTER: back) ")
    key = ask_key(caller, answered if letter.from_name else words("[D] delete (ENTER: back) ")).upper()
    caller.console.finish()
    if key == "D":
        box.delete(caller.user.id, letter.id)
        say(words("The letter is gone."), Style.GREEN)
    elif key == "A" and letter.from_name:
        write_to(caller, letter.from_name)


def write_to(caller: Caller, name: str) -> bool:
    """Let the caller write a letter to a user; return whether it was sent."""
    words, say = caller.words, caller.console.say
    if not caller.may_write():
        return False
    user = caller.instance.accounts.find(name)
    if user is None:
        say(words("There is no user called {name}.", name=name), Style.YELLOW)
    elif user.guest or caller.user.guest:
        say(words("Guests have no box of letters."), Style.YELLOW)
    elif user.closed is not None:
        say(words("The account {name} is closed.", name=user.name), Style.YELLOW)
    elif user.id == caller.user.id:
        say(words("That is you."), Style.YELLOW)
    else:
        return _write(caller, user)
    return False


def _write(caller: Caller, user: User) -> bool:
    """Ask for the lines of a letter, and send it; return whether that was done."""
    words, say = caller.words, caller.console.say
    say(words("To {name}: up to {n} lines; an empty line ends the letter.", name=user.name, n=LINES))
    lines: list[str] = []
    opened = caller.loop.piece
    while len(lines) < LINES and (line := ask_line(caller, "> ", LINE_LENGTH)):
        lines.append(line)
    caller.loop.end_text(opened)
    if not lines:
        say(words("Nothing was sent."))
        return False
    if not caller.may_write(line=True):
        return False
    try:
        is_kept = caller.instance.meeting.letters.send(caller.user.id, user.id, "\n".join(lines))
    except ValueError:
        say(words("Nothing was sent."))
        return False
    except BoxFull as full:
        if full.by_one:
            say(words("{name} has too many letters of yours to read; nothing was sent.", name=user.name), Style.YELLOW)
        else:
            say(words("The box of {name} is full; nothing was sent.", name=user.name), Style.YELLOW)
        return False
    person = caller.instance.directory.of_user(user.id)
    if is_kept and person is not None:
        caller.instance.notifier.tell(Kind.NOTICE, [person.index], payload=f"letter {caller.user.name}".encode())
    say(words("The letter lies in the box of {name}.", name=user.name), Style.GREEN)
    return True


# --- X-messages -------------------------------------------------------------------------------------------------------


MESSAGE_LIMIT = 400


def x_message(caller: Caller) -> None:
    """`X`: write to somebody who is online."""
    words, say = caller.words, caller.console.say
    if not caller.may_write():
        return
    name = ask_name(caller, words("To: "))
    if not name:
        return
    person = caller.instance.directory.named(name)
    if person is None:
        _not_online(caller, name)
        return
    if person.is_house:
        say(words("{name} is a house player and cannot read messages.", name=person.name), Style.YELLOW)
        return
    if person.is_guest:
        say(words("{name} is a guest and cannot read messages.", name=person.name), Style.YELLOW)
        return
    if person.at_table:
        say(words("{name} is playing at the moment and may answer late.", name=person.name), Style.YELLOW)
    elif person.looks_on:
        say(words("{name} is watching a table and may answer late.", name=person.name), Style.YELLOW)
    else:
        notice(caller, person, "writing")
    text = ask_text(caller, words("Message: "), MESSAGE_LIMIT)
    if text:
        send(caller, person, text)


def notice(caller: Caller, person: SessionInfo, what: Literal["writing", "profile"]) -> None:
    """Show another caller at a prompt what this one does; not shown at a table (spec/poker.md 14.2).

    A caller who may not write causes no notice either.
    """
    if not caller.bulletin.may_not_write(caller.words):
        caller.instance.notifier.tell(Kind.NOTICE, [person.index], payload=f"{what} {caller.user.name}".encode())


def send(caller: Caller, person: SessionInfo, text: str) -> None:
    """Send an X-message and tell the caller the result; one to somebody who ignores the caller is kept nowhere."""
    words, say, instance, user = caller.words, caller.console.say, caller.instance, caller.user
    if not caller.may_write(line=True):
        return
    is_ignored = instance.meeting.ignored.ignores(person.user, user.id)
    try:
        if not is_ignored:  # of which the sender learns nothing
            instance.messages.send(user.id, user.name, person.user, text)
    except BoxFull:
        say(words("{name} has too many unread messages.", name=person.name), Style.YELLOW)
        return
    instance.tally.count(counters.XMESSAGES)
    addressee = instance.directory.of_user(person.user)
    if addressee is not None:
        if not is_ignored:
            instance.notifier.tell(Kind.XMESSAGE, [addressee.index])
        say(words("Sent to {name}.", name=person.name), Style.GREEN)
    else:
        say(words("{name} has just left and will read it at the next login.", name=person.name))


def _not_online(caller: Caller, name: str) -> None:
    """Tell that nobody of this name is online; a user may be left a letter."""
    words, say = caller.words, caller.console.say
    user = caller.instance.accounts.find(name)
    if user is None or user.closed is not None or user.guest or caller.user.guest:
        say(words("Nobody called {name} is online.", name=name), Style.YELLOW)
    elif ask_yes(caller, words("{name} is not online. Leave a letter? (y/n) ", name=user.name)):
        write_to(caller, user.name)
