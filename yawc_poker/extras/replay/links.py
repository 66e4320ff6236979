"""A link to a finished game, as `#game-17`."""

from yawc_poker.extras.replay.menu_lines import look_at
from yawc_poker.session.menus.links import AddedLink

ANNOUNCED = (AddedLink("game", look_at),)
