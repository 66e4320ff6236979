"""The question at a new password."""

from typing import Final

from yawc_poker.extras.ssh_door.keys import ask_kept_keys
from yawc_poker.session.menus.passwords import KeptKeys

ANNOUNCED: Final = (KeptKeys(ask_kept_keys),)
