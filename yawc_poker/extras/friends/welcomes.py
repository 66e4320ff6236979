"""Who comes in reads which challenges wait; their friends, and those who wait for them to play, are told of them."""

from typing import Final

from yawc_poker.extras.friends.notices import CAME, MEET
from yawc_poker.extras.friends.rows import challenges_of, who_plays_with, who_waits_for
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.presence import Welcome
from yawc_poker.terminal.frame import Style

MOST_TOLD: Final = 3
"""Challenges: the welcome fits a screen."""


def tell(caller: Caller) -> None:
    """Tell a caller who comes in, and others of them. Raise `StoreError`."""
    user, instance, words = caller.user, caller.instance, caller.words
    if user.guest:
        return
    here = {one.user: one for one in instance.directory.people()}
    store = instance.accounts.store
    waiting = [one for one in challenges_of(store, user.id) if one.whom == user.id or one.whom in here]
    players = who_plays_with(store, user.id)
    friends = set(who_waits_for(store, user.id)) - players
    for one in waiting[:MOST_TOLD]:
        game = game_name(one.kind, words)
        text = words("{name}, whom you challenged, is here: {game}. F", name=one.whom_name, game=game)
        if one.whom == user.id:
            text = words("{name} challenges you: {game}. F", name=one.name, game=game)
        caller.console.say(text, Style.CYAN)
    if more := len(waiting[MOST_TOLD:]):
        caller.console.say(words.count("{n} more challenge: F", "{n} more challenges: F", more), Style.CYAN)
    if instance.own.muted_until > instance.here.now():
        return
    for word, told in ((MEET, players), (CAME, friends)):
        records = [here[one].index for one in sorted(told) if one in here]
        instance.notifier.tell(Kind.NOTICE, records, payload=f"{word} {user.name}".encode())


ANNOUNCED = (Welcome(tell),)
