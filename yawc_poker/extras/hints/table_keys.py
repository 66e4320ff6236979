"""`!` at a table, as callers read it."""

from typing import Final

from yawc_poker.table_ui.added_keys import AddedKey
from yawc_poker.words import mark

KEY: Final = "!"

ANNOUNCED = (AddedKey(KEY, mark("[!] A hint")),)
