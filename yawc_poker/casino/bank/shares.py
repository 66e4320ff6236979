"""How a pot is divided among several winners. Pure.

A game names shares (`Game.payouts`), whole numbers by which the pot is divided, whatever it really holds. Invariant:
the parts are the whole pot, or nothing if nobody has a share.
"""

from collections.abc import Mapping
from typing import TypeVar

KeyT = TypeVar("KeyT")


def split(pot: int, shares: Mapping[KeyT, int]) -> dict[KeyT, int]:
    """Return each part of the pot, in the order of the shares. Raise `ValueError` for a share below zero.

    Fractions are cut off. The CUBES that are left over, fewer than there are shares, go one each to the first of those
    who have a share.
    """
    whole = sum(shares.values())
    if pot < 0 or any(share < 0 for share in shares.values()):
        raise ValueError(f"a pot of {pot} in shares of {dict(shares)}")
    if not whole:
        return dict.fromkeys(shares, 0)
    parts = {who: pot * share // whole for who, share in shares.items()}
    left = pot - sum(parts.values())
    for who in [who for who, share in shares.items() if share][:left]:
        parts[who] += 1
    return parts
