import argparse
from collections.abc import Mapping

class Manpage:
    def __init__(self, parser: argparse.ArgumentParser, _data: Mapping[str, str] | None = None) -> None: ...
