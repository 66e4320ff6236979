"""The statements of this program in PostgreSQL's words."""

import pytest

from yawc_poker.casino.store.dialect import translated


@pytest.mark.parametrize(
    ("common", "wanted"),
    [
        ("SELECT id FROM txn WHERE key = ?", "SELECT id FROM txn WHERE key = %s"),
        ("INSERT INTO entry VALUES (?, ?,?)", "INSERT INTO entry VALUES (%s, %s,%s)"),
        ("WHERE game = :game AND ref<:people", "WHERE game = %(game)s AND ref<%(people)s"),
        ("key >= :key || ':' AND key < :key || ';'", "key >= %(key)s || ':' AND key < %(key)s || ';'"),
        ("key = 'exchange:founding'", "key = 'exchange:founding'"),
        ("SELECT :schema::regnamespace, at::text", "SELECT %(schema)s::regnamespace, at::text"),
        ("SELECT ?::bigint[]", "SELECT %s::bigint[]"),
        ("SELECT 7 % 3", "SELECT 7 %% 3"),
        ("key LIKE 'bet:%:%:%'", "key LIKE 'bet:%%:%%:%%'"),
        ('SELECT "user"', 'SELECT "user"'),
        ("SELECT user, player.user FROM player", 'SELECT "user", player."user" FROM player'),
        ("WHERE +player.user < ?", 'WHERE +player."user" < %s'),
        ("kind IN ('user', 'pot')", "kind IN ('user', 'pot')"),
        ("SELECT users, user_id, the_user, user2 FROM users", "SELECT users, user_id, the_user, user2 FROM users"),
        (
            "ON CONFLICT (user) DO UPDATE SET user = excluded.user",
            'ON CONFLICT ("user") DO UPDATE SET "user" = excluded."user"',
        ),
        ("txn CROSS JOIN entry ON txn = 1", "txn  JOIN entry ON txn = 1"),
        ("a CROSS JOIN b ON c CROSS JOIN d\nON e", "a  JOIN b ON c  JOIN d\nON e"),
        ("SELECT across FROM cross_join ON a", "SELECT across FROM cross_join ON a"),
        ("", ""),
    ],
)
def test_each_rule(common: str, wanted: str) -> None:
    assert translated(common) == wanted
