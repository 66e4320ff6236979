"""`yawcctl audit`: where several hosts share tables, their pots must be the ledger's."""

from typing import Final

from yawc_poker.casino.bank.audit import Audit
from yawc_poker.extras.cluster.joining import untrue_pots

ANNOUNCED: Final = (Audit(untrue_pots),)
