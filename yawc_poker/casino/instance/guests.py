"""The end of guests: who plays without an account of their own leaves nothing behind.

Owns when that is: at the end of their session, or, where it died or a game that they were in goes on, at somebody's
next login. What they own goes back to the mint, their property is sold before, and the account is closed, as any other,
with what they wrote and whom they ignore; each step may come again, and moves nothing twice. Who has kept a name is no
guest any more.
"""

import logging
from typing import Final

from yawc_poker.announcing import announced
from yawc_poker.casino.bank.allowance import Property
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.casino.meeting.meeting import forget
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.casino.users.accounts import write_guest_closed
from yawc_poker.engine.values import AnyTable
from yawc_poker.ipc.semaphore import LockTimeout

log = logging.getLogger(__name__)

YOUNG: Final = 600.0
"""Seconds after which a guest without a session is gone: before that they may be on their way in."""


def retire(instance: Instance, user: int) -> None:
    """End a guest's account and give back what they own, unless they have kept a name, or are at a table.

    Whoever was dealt into a game may still owe it something, or win it, until it is paid out.
    """
    account = instance.accounts.by_id(user)
    if account is None or not account.guest or any(_is_at(table.look(), user) for table in instance.tables):
        return
    if instance.bank.at_stake(user):
        return
    for kind in announced("property", Property):
        kind.sell(instance.bank.store, instance.bank.store.clock(), user)
    cubes = instance.bank.unmake(user)
    with instance.accounts.store.writing() as users:
        if write_guest_closed(users, user, instance.accounts.store.clock()):
            forget(users, user)
    log.info("guest %d is gone; %d CUBES went back to the mint", user, cubes)


def _is_at(table: AnyTable, user: int) -> bool:
    """Return whether a user sits at a table, or was dealt into its game, which is not paid out yet."""
    return user in table.players or any(who is not None and who.user == user for who in table.seats)


def retire_all(instance: Instance) -> None:
    """End the accounts of all guests who are not here any more; whoever comes in next does what fails."""
    try:
        if not instance.accounts.guests(older_than=YOUNG):
            return
        here = instance.other_hosts.users(instance)  # first: whoever is here may keep a name, and leave
        for user in instance.accounts.guests(older_than=YOUNG):
            if user not in here:
                retire(instance, user)
    except (StoreError, LockTimeout) as error:
        log.info("guests who are gone wait for the next login: %s", error)
