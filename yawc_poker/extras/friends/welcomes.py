"""Who comes in reads which challenges wait; their friends, and those who wait for them to play, are told of them."""

from yawc_poker.extras.friends.notices import CAME, MEET
from yawc_poker.extras.friends.rows import challenges_of, who_waits_for
from yawc_poker.ipc.broadcast import Kind
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.menus.history import game_name
from yawc_poker.session.menus.presence import Welcome
from yawc_poker.terminal.frame import Style


def tell(caller: Caller) -> None:
    """Tell a caller who comes in, and others of them. Raise `StoreError`."""
    user, instance, words = caller.user, caller.instance, caller.words
    if user.guest:
        return
    here = {one.user: one for one in instance.directory.people()}
    waiting = challenges_of(instance.accounts.store, user.id)
    for one in waiting:
        game = game_name(one.kind, words)
        if one.whom == user.id and not caller.others.ignores(one.user):
            caller.console.say(words("{name} challenges you: {game}. F", name=one.name, game=game), Style.CYAN)
        elif one.whom in here:
            text = words("{name}, whom you challenged, is here: {game}. F", name=one.whom_name, game=game)
            caller.console.say(text, Style.CYAN)
    if instance.own.muted_until > instance.here.now():
        return
    players = {one.user if one.whom == user.id else one.whom for one in waiting} - {user.id}
    friends = set(who_waits_for(instance.accounts.store, user.id)) - players
    for word, told in ((MEET, players), (CAME, friends)):
        records = [here[one].index for one in sorted(told) if one in here]
        instance.notifier.tell(Kind.NOTICE, records, payload=f"{word} {user.name}".encode())


ANNOUNCED = (Welcome(tell),)
