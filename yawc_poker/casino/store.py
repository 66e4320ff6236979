"""The former name of `casino.database`, for those who import it still."""

from yawc_poker.casino.database.connection import (
    BUSY_SECONDS,
    LOOKER_SECONDS,
    Clock,
    Lock,
    StoreError,
    Unavailable,
)
from yawc_poker.casino.database.sqlite import Schema, Transaction, migrate, pragma
from yawc_poker.casino.database.sqlite import SqliteStore as Store

__all__ = [
    "BUSY_SECONDS",
    "LOOKER_SECONDS",
    "Clock",
    "Lock",
    "Schema",
    "Store",
    "StoreError",
    "Transaction",
    "Unavailable",
    "migrate",
    "pragma",
]
