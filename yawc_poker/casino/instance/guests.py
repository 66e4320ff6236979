"""The end of guests: who plays without an account of their own leaves nothing behind.

Owns when that is: at the end of their session, or, where it died or their stake is still in a pot, at somebody's next
login. What they own goes back to the mint, their property is sold before, and the account is closed; each step may come
again, and moves nothing twice. Who has kept a name is no guest any more.
"""

import logging
from typing import Final

from yawc_poker.announcing import announced
from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.instance.instance import Instance

log = logging.getLogger(__name__)

YOUNG: Final = 600.0
"""Seconds after which a guest without a session is gone: before that they may be on their way in."""


def retire(instance: Instance, user: int) -> bool:
    """End a guest's account and give back what they own; False: it waits for a seat or a stake of theirs."""
    is_seated = any(
        table.is_held_for(user)
        or table.is_kept_for(user)
        or any(seat is not None and seat.user == user for seat in table.sitting())
        for table in instance.tables
    )
    if is_seated or instance.bank.at_stake(user):
        return False
    for kind in announced("property", Property):
        kind.sell(instance.bank.store, instance.bank.store.clock(), user)
    cubes = instance.bank.unmake(user)
    instance.accounts.close_guest(user)
    log.info("guest %d is gone; %d CUBES went back to the mint", user, cubes)
    return True


def retire_all(instance: Instance) -> None:
    """End the accounts of all guests who are not here any more."""
    if not instance.accounts.guests(older_than=YOUNG):
        return
    here = instance.other_hosts.users(instance)  # first: whoever is here may keep a name, and leave
    for user in instance.accounts.guests(older_than=YOUNG):
        if user not in here:
            retire(instance, user)
