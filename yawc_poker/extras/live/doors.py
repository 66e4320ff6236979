"""The door for scrapers of the metrics."""

from typing import Final

from yawc_poker.config import Config
from yawc_poker.doors import At, DoorKind, sixteen
from yawc_poker.extras.live.settings import MetricsSettings


def _at(config: Config) -> At:
    return At("127.0.0.1", config.of(MetricsSettings).port or None, "metrics.sock")


METRICS: Final = DoorKind(
    "metrics", counter=2, service="yawc_poker.extras.live.scrape:MetricsService", at=_at, is_public=False, limit=sixteen
)
ANNOUNCED: Final = (METRICS,)
