"""`yawcctl audit`: where several hosts share tables, their pots must be the ledger's."""

from typing import Final

from yawc_poker.extras.cluster.joining import untrue_pots
from yawc_poker.sysop.books import FurtherCheck

ANNOUNCED: Final = (FurtherCheck(untrue_pots),)
