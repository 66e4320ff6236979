"""`F` at the main prompt: friends, who of them is here, and challenges that wait.

Owns the conversation. An invitation is the one of `I` (`session.menus.invite`).
"""

from collections.abc import Sequence
from typing import NamedTuple

from yawc_poker.casino.presence.directory import SessionInfo
from yawc_poker.casino.users.accounts import User
from yawc_poker.digits import decimal
from yawc_poker.extras.friends import rows
from yawc_poker.extras.friends.notices import MEET
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.registry.entry import Entry
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.prompts import ask_key, ask_name, ask_rest, ask_yes
from yawc_poker.session.menus.casino import games_here
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.invite import chosen_game, invite_user
from yawc_poker.session.menus.presence import place_of
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark


class _Lists(NamedTuple):
    """What is listed, numbered from 1: friends first."""

    friends: Sequence[tuple[int, str]]
    challenges: Sequence[rows.Challenge]


def friends(caller: Caller) -> None:
    """Show friends and challenges until the caller goes back, or to a table. Raise `StoreError`."""
    words = caller.words
    while not caller.in_casino:
        lists = _show(caller)
        prompt = words("[A] add a friend, [R] remove, [C] challenge, or a number to play (ENTER: back) ")
        key = ask_key(caller, prompt).upper()
        if decimal(key) is not None:
            if answer := ask_rest(caller, key, 3):
                _play(caller, lists, (decimal(answer) or 0) - 1)
            continue
        caller.console.finish()
        if key == "A" and (user := _ask_user(caller)) is not None:
            _add(caller, user)
        elif key == "R" and (user := _ask_user(caller)) is not None:
            rows.unfriend(caller.instance.accounts.store, caller.user.id, user.id)
        elif key == "C" and (user := _ask_user(caller)) is not None:
            _challenge(caller, user.id, user.name)
        elif key not in {"A", "R", "C"}:
            return


def _show(caller: Caller) -> _Lists:
    words, say, store = caller.words, caller.console.say, caller.instance.accounts.store
    lists = _Lists(list(rows.friends_of(store, caller.user.id).items()), rows.challenges_of(store, caller.user.id))
    here = {one.user: one for one in caller.instance.directory.people()}
    say()
    if lists.friends:
        say(words("Your friends:"), Style.BOLD)
    for number, (user, name) in enumerate(lists.friends, 1):
        say(f"  {number:>2}  {name:<20}  {_where(caller, here.get(user))}".rstrip())
    if lists.challenges:
        say(words("Challenges that wait:"), Style.BOLD)
    for number, one in enumerate(lists.challenges, len(lists.friends) + 1):
        game, is_own = game_name(one.kind, words), one.user == caller.user.id
        text = words("You challenge {name}: {game}.", name=one.whom_name, game=game)
        if not is_own:
            text = words("{name} challenges you: {game}.", name=one.name, game=game)
        say(f"  {number:>2}  {text}  {_where(caller, here.get(one.whom if is_own else one.user))}".rstrip())
    if not lists.friends and not lists.challenges:
        say(
            words("You have no friends on the list yet. You are told when a friend comes, who is not told of the list.")
        )
    return lists


def _where(caller: Caller, person: SessionInfo | None) -> str:
    return "" if person is None else place_of(caller, person)


def _ask_user(caller: Caller) -> User | None:
    """Ask for a user other than the caller; None: the caller gave up, or has read that there is none."""
    words, say = caller.words, caller.console.say
    name = ask_name(caller, words("Name:") + " ")
    user = caller.instance.accounts.find(name) if name else None
    if not name:
        return None
    if user is None or user.closed is not None or user.guest:
        say(words("There is no user called {name}.", name=name), Style.YELLOW)
    elif user.id == caller.user.id:
        say(words("That is you."), Style.YELLOW)
    else:
        return user
    return None


def _add(caller: Caller, user: User) -> None:
    words = caller.words
    try:
        rows.befriend(caller.instance.accounts.store, caller.user.id, user.id)
    except rows.TooMany:
        caller.console.say(words("You have too many of these already."), Style.YELLOW)
    else:
        caller.console.say(words("You are told when {name} comes.", name=user.name), Style.GREEN)


def _challenge(caller: Caller, user: int, name: str) -> None:
    """Challenge somebody to a game that is chosen; who is here is told at once."""
    words, say, instance = caller.words, caller.console.say, caller.instance
    if not caller.may_write():
        return
    game = chosen_game(caller)
    if game is None or not caller.may_write(line=True):
        return
    try:
        is_heard = rows.challenge(instance.accounts.store, caller.user.id, user, game.kind)
    except rows.TooMany:
        say(words("You have too many of these already."), Style.YELLOW)
        return
    person = instance.directory.of_user(user)
    if is_heard and person is not None:
        instance.notifier.tell(Kind.NOTICE, [person.index], payload=f"{MEET} {caller.user.name}".encode())
    say(words("The challenge waits for {name}, and for you when they come.", name=name), Style.GREEN)


def _play(caller: Caller, lists: _Lists, chosen: int) -> None:
    """Play with a friend or take up a challenge, by its place in the lists."""
    words, say = caller.words, caller.console.say
    everything = [*lists.friends, *lists.challenges]
    if not 0 <= chosen < len(everything):
        say(words("There is no such line."), Style.YELLOW)
    elif chosen < len(lists.friends):
        user, name = lists.friends[chosen]
        if caller.instance.directory.of_user(user) is not None:
            invite_user(caller, name)
        elif ask_yes(caller, words("{name} is not here. Leave a challenge? (y/n) ", name=name)):
            _challenge(caller, user, name)
    else:
        _take_up(caller, lists.challenges[chosen - len(lists.friends)])


def _take_up(caller: Caller, found: rows.Challenge) -> None:
    """Seat the caller and ask the other to the table, if that one is here; else the challenge may be taken off."""
    words, is_own = caller.words, found.user == caller.user.id
    user, name = (found.whom, found.whom_name) if is_own else (found.user, found.name)
    store = caller.instance.accounts.store
    if caller.instance.directory.of_user(user) is not None:
        game: Entry | None = next((game for game in games_here(caller) if game.kind == found.kind), None)
        invite_user(caller, name, game, lambda: rows.take_back(store, found))
    elif ask_yes(caller, words("{name} is not here. Take the challenge off? (y/n) ", name=name)):
        rows.take_back(store, found)


ANNOUNCED = (
    AddedLine(
        "the main menu",
        MenuLine(
            "F",
            mark("Friends, and challenges that wait"),
            friends,
            works=lambda caller: not caller.user.guest,
        ),
        before="X",
    ),
)
