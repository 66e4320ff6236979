"""The check whether a listener of this program could start on a data directory. Changes nothing.

Owns the answer of `yawc-telnetd --check`; the start itself (`yawc_poker.bbs.lifecycle`) refuses by the same rules.
"""

from contextlib import closing
from pathlib import Path

from yawc_poker.bbs.lifecycle import FoundingError
from yawc_poker.bbs.recovery import refuse_unusable
from yawc_poker.casino.files import UnsafeFolder, is_squatted, refuse_unsafe
from yawc_poker.casino.instance.databases import databases_of, in_use
from yawc_poker.casino.store.connection import StoreError
from yawc_poker.config import Config
from yawc_poker.ipc.segment import ForeignSegment, HalfCreated, NoSegment, Segment, SegmentError, segment_name
from yawc_poker.registry.entry import UnknownGame
from yawc_poker.registry.tables import refuse_unknown


def examine(data: Path, config: Config) -> str:
    """Return what a listener of this program would find. Raise `FoundingError` if it could not start.

    Nor can it beside living sessions of a program whose databases have another layout: they would go on writing by it.
    """
    try:
        refuse_unsafe(data)
        segment = Segment.attach(segment_name(data))
    except (NoSegment, HalfCreated):
        return _examine_stopped(data, config)
    except ForeignSegment as error:
        if not is_squatted(error, data):
            raise FoundingError(str(error)) from None
        return _examine_stopped(data, config)
    except (UnsafeFolder, SegmentError, OSError) as error:
        raise FoundingError(str(error)) from None
    try:
        refuse_unknown(segment)
    except UnknownGame as error:
        raise FoundingError(f"a BBS is running here, but {error}") from None
    finally:
        segment.close()
    databases = in_use(data, config)
    try:
        databases.load()
        for opened in (databases.books, databases.users):
            with closing(opened(look_only=True)) as store, store.reading():
                pass
    except StoreError as error:
        raise FoundingError(str(error)) from None
    return "the BBS that runs here has the same layout"


def _examine_stopped(data: Path, config: Config) -> str:
    try:
        refuse_unusable(databases_of(data, config), config)
    except StoreError as error:
        raise FoundingError(str(error)) from None
    return "no BBS runs here"
