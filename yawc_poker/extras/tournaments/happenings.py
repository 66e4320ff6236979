"""What `yawcctl events` tells of tournaments: called, a round begins, over, called off."""

from yawc_poker.casino.instance.happenings import Happening, Happenings
from yawc_poker.casino.instance.instance import Instance
from yawc_poker.extras.tournaments import rows


def told(instance: Instance, what: str) -> Happening:
    """Return what one of them means, as `rows.note` wrote it down. Raise `StoreError`."""
    number, act, *behind = what.split(":")
    with instance.bank.store.reading() as books:
        one = rows.find(books, int(number))
        best = [each.user for each in rows.table_of(books, one.id) if each.rank == 1] if act == "over" else []
        pot = sum(rows.paid(books, one.id).values())
    names = instance.accounts.names(best)
    return Happening(
        one.id,
        act,
        one.kind,
        one.name,
        int(behind[0]) if behind else None,
        pot if act == "over" else 0,
        tuple([names.get(user, f"#{user}") for user in best]),
    )


ANNOUNCED = (Happenings("tournament", told),)
