"""The sysop actions as functions of their arguments; each is carried out by its row."""

import time
from collections.abc import Callable

from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.moderation.actions import SYSOP_ACTIONS, finish_pending, sysop_actions
from yawc_poker.casino.moderation.procedure import Done, Pause, Sysop

__all__ = ["finish_pending", "sysop_actions"]


def _action(word: str, *names: str) -> Callable[..., Done]:
    row = SYSOP_ACTIONS[word]

    def act(instance: Instance, *values: object, by: str, pause: Pause = time.sleep, **named: object) -> Done:
        given = dict(zip(names, values, strict=True))
        return row.carry_out(Sysop(instance, by, pause), row.fill(given | named))

    return act


say = _action("say", "text")
kick = _action("kick", "name")
ban = _action("ban", "target", "seconds")
unban = _action("unban", "target")
warn = _action("warn", "name")
twit = _action("twit", "name", "seconds")
untwit = _action("untwit", "name")
reset_password = _action("password", "name")
delete = _action("delete", "name")
grant = _action("grant", "name", "cubes")
take = _action("take", "name", "cubes")
set_sysop = _action("sysop", "name", "on")
wipe = _action("wipe", "line")
