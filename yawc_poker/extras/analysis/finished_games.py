"""What is offered for a finished game: its analysis."""

from yawc_poker.extras.analysis.analysis import analyse
from yawc_poker.session.menus.afterwards import OfFinishedGame

ANNOUNCED = (OfFinishedGame("analysis", analyse),)
"""Of a finished game, whoever shows one (`session.menus.afterwards`)."""
