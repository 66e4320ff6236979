"""The line of the main menu about keys of ssh."""

from typing import Final

from yawc_poker.extras.ssh_door.keys import ssh_keys
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.table_ui.commands import SIGN
from yawc_poker.words import mark

ANNOUNCED: Final = (
    AddedLine(
        "the main menu",
        MenuLine(
            "K",
            mark("Keys of ssh, instead of the password"),
            ssh_keys,
            works=lambda caller: not caller.user.guest,
        ),
        before=SIGN,
    ),
)
