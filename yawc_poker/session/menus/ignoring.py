"""`G`: the ignore list, and whether the caller reads who comes, goes and waits.

Owns the conversation. Nobody is told who ignores them. A name stays visible in lists and at tables: it is what somebody
says that does not reach the caller. Programs at a wire and house players have no account: this session alone ignores
them, as long as they stay.
"""

import logging

from msgspec.structs import replace

from yawc_poker.casino.meeting.ignored import MOST, ListFull
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_key, ask_name
from yawc_poker.terminal.frame import Style

log = logging.getLogger(__name__)


def ignore_list(caller: Caller) -> None:
    """`G`: show the list until the caller goes back."""
    words, say = caller.words, caller.console.say
    is_changed = False
    while True:
        try:
            names = [*caller.instance.meeting.ignored.of(caller.user.id).values(), *caller.others.ignored_guests()]
        except StoreError as error:
            if not is_changed:
                raise
            log.warning("%r has changed the ignore list, which cannot be read now: %s", caller.user.name, error)
            say(words("Done."))
            return
        say()
        say(words("You ignore: {names}", names=", ".join(names)) if names else words("You ignore nobody."))
        say(words("Nothing that they write reaches you: no chat, X-message, letter, invitation. They are not told."))
        say()
        say("  [A] " + words("Ignore somebody"))
        say("  [D] " + words("Ignore somebody no longer"))
        state = words("on") if caller.preferences.meet else words("off")
        say("  [M] " + words("Lines at the prompt about who comes, goes and waits: {state}", state=state))
        say("  [Q] " + words("Back"))
        say()
        key = ask_key(caller, words("Ignore list") + "> ").upper()
        caller.console.finish()
        if key == "A":
            is_changed = _add(caller)
        elif key == "D":
            is_changed = _remove(caller)
        elif key == "M":
            caller.prefer(replace(caller.preferences, meet=not caller.preferences.meet))
        else:
            return


def _add(caller: Caller) -> bool:
    """Ask whom to ignore; return whether the list has them now."""
    words, say, lists = caller.words, caller.console.say, caller.instance.meeting.ignored
    name = ask_name(caller, words("Whom? "))
    if not name:
        return False
    user = caller.instance.accounts.find(name)
    guest = caller.instance.directory.named(name) if user is None else None
    if guest is not None and (guest.is_guest or guest.is_house):
        caller.others.ignore_guest(guest.token, guest.name)
        return True
    if user is None or user.closed is not None:
        say(words("There is no user called {name}.", name=name), Style.YELLOW)
    elif user.id == caller.user.id:
        say(words("That is you."), Style.YELLOW)
    elif user.sysop:
        say(words("{name} is a sysop, and must be heard.", name=user.name), Style.YELLOW)
    else:
        try:
            caller.others.ignore(lists.add(caller.user.id, user.id))
        except ListFull:
            say(words("Your list is full: it holds {n} names.", n=MOST), Style.YELLOW)
            return False
        return True
    return False


def _remove(caller: Caller) -> bool:
    """Ask whom to ignore no longer; return whether the list has them no more."""
    words, say, lists = caller.words, caller.console.say, caller.instance.meeting.ignored
    name = ask_name(caller, words("Whom? "))
    if not name:
        return False
    if caller.others.hear_guest(name):
        return True
    user = caller.instance.accounts.find(name)
    if user is None or user.id not in lists.of(caller.user.id):
        say(words("{name} is not on your list.", name=name), Style.YELLOW)
        return False
    caller.others.ignore(lists.remove(caller.user.id, user.id))
    return True
