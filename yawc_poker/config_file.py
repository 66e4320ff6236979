"""The configuration file and the default data directory."""

import os
from pathlib import Path

from yawc_poker.config import Config, ConfigError, GameSections, convert, parse


def default_data() -> Path:
    """Return the default data directory: `$YAWC_DATA`, or `var` in the current directory."""
    return Path(os.environ.get("YAWC_DATA", "var"))


def load(path: Path | None, games: GameSections = ()) -> Config:
    """Return the configuration in a file, or the defaults if `path` is None; raise `ConfigError`."""
    if path is None:
        return convert({}, games)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8 text"
        raise ConfigError(f"{path}: cannot be read: {reason}") from None
    return parse(text, str(path), games)
