"""The command line of yawc-door as a parser, for its man page: the program itself loads nothing written in Python."""

import argparse


def parser() -> argparse.ArgumentParser:
    """Return a parser of what yawc-door takes; a test compares what both say."""
    whole = argparse.ArgumentParser(
        prog="yawc-door",
        description="Hand this terminal over to the running BBS, and wait: what ssh runs for a caller.",
        add_help=False,
    )
    one = whole.add_mutually_exclusive_group()
    one.add_argument("--socket", metavar="FILE", help="the BBS's socket")
    one.add_argument("--data", metavar="DIR", help="data directory that has it (default: $YAWC_DATA, or var)")
    return whole
