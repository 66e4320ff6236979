"""What becomes of psycopg's operations when their wait for the server is given up."""

from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # not everybody has psycopg
    from psycopg.abc import PQGen


def test_an_operation_that_is_given_up_ends_at_once_and_without_a_word(database: str) -> None:
    """psycopg speaks to the server once more on the way out; else its error is printed when garbage is collected."""
    import psycopg
    from psycopg.waiting import Wait

    from yawc_poker.extras.cluster.server.link import connect

    ended = []

    def operation() -> "PQGen[None]":
        try:
            yield Wait.R
        finally:
            ended.append(True)
            raise psycopg.OperationalError("flush request failed")

    with closing(connect(database)) as link:
        link.until = 0.0
        with pytest.raises(psycopg.OperationalError, match="no answer in time"):
            link.wait(operation())
        assert ended
    with pytest.raises(psycopg.OperationalError, match="connection is closed"):
        link.wait(operation())
    assert len(ended) == 2
