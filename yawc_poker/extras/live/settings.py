"""`[metrics]`: the settings of the door for scrapers."""

from typing import Final

from yawc_poker.config import AddedKeys, Port, Section


class MetricsSettings(Section, frozen=True):
    """`[metrics]`: the figures for Prometheus."""

    port: Port = 0
    """TCP port on 127.0.0.1; 0: only the Unix socket metrics.sock in the data directory."""


ANNOUNCED: Final = (AddedKeys("metrics", MetricsSettings),)
