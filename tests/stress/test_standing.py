"""That a table which stands for good is found, whatever else happens meanwhile."""

from tests.stress.tables import EXCUSED, Standing


def test_what_keeps_people_from_acting_excuses_a_table_for_a_while() -> None:
    table = Standing()
    began = table.since
    for passed in range(1, 3 * int(EXCUSED)):  # there is always a fault somewhere
        table.excuse(began + passed)
    assert EXCUSED - 1 <= table.since - began < EXCUSED
    table.note("another turn")
    moved = table.since
    table.excuse(moved + 1)
    assert table.since == moved + 1
