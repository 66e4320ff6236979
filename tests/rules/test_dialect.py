"""The statements of this program in PostgreSQL's words: each rule by examples, and all of them by any text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.casino.store.dialect import translated


@pytest.mark.parametrize(
    ("common", "wanted"),
    [
        ("SELECT id FROM txn WHERE key = ?", "SELECT id FROM txn WHERE key = %s"),
        ("INSERT INTO entry VALUES (?, ?,?)", "INSERT INTO entry VALUES (%s, %s,%s)"),
        ("WHERE game = :game AND ref<:people", "WHERE game = %(game)s AND ref<%(people)s"),
        ("key >= :key || ':' AND key < :key || ';'", "key >= %(key)s || ':' AND key < %(key)s || ';'"),
        ("SELECT :schema::regnamespace, at::text", "SELECT %(schema)s::regnamespace, at::text"),
        ("SELECT 7 % 3", "SELECT 7 %% 3"),
        ("key LIKE 'bet:%:%:%'", "key LIKE 'bet:%%:%%:%%'"),
        ("SELECT 'why?', ':name', 'it''s :a ?', '%s'", "SELECT 'why?', ':name', 'it''s :a ?', '%%s'"),
        ("SELECT ''''", "SELECT ''''"),
        ('SELECT "what?", ":a", "a""?", "user"', 'SELECT "what?", ":a", "a""?", "user"'),
        ("SELECT 1 -- why? :a 'user % \n, ?", "SELECT 1 -- why? :a 'user %% \n, %s"),
        ("SELECT 1 /* user? :a ' % \n */ , ?", "SELECT 1 /* user? :a ' %% \n */ , %s"),
        ("SELECT 6/2 - -1 FROM a", "SELECT 6/2 - -1 FROM a"),
        ("SELECT user, player.user FROM player", 'SELECT "user", player."user" FROM player'),
        ("WHERE +player.user < ? AND User = USER", 'WHERE +player."user" < %s AND "user" = "user"'),
        ("kind IN ('user', 'pot')", "kind IN ('user', 'pot')"),
        ("SELECT users, user_id, the_user, user2 FROM users", "SELECT users, user_id, the_user, user2 FROM users"),
        (
            "ON CONFLICT (user) DO UPDATE SET user = excluded.user",
            'ON CONFLICT ("user") DO UPDATE SET "user" = excluded."user"',
        ),
        ("txn CROSS JOIN entry ON txn = 1", "txn  JOIN entry ON txn = 1"),
        ("a cross\njoin b USING (x)", "a \njoin b USING (x)"),
        ("a CROSS JOIN bank.b AS c ON a = c", "a  JOIN bank.b AS c ON a = c"),
        ("a CROSS JOIN (SELECT 1 FROM b WHERE c) AS d ON e", "a  JOIN (SELECT 1 FROM b WHERE c) AS d ON e"),
        ("a CROSS JOIN b", "a CROSS JOIN b"),
        ("a CROSS JOIN b WHERE c", "a CROSS JOIN b WHERE c"),
        ("a CROSS JOIN b CROSS JOIN c ON d", "a CROSS JOIN b  JOIN c ON d"),
        ("a CROSS JOIN b LEFT JOIN c ON d", "a CROSS JOIN b LEFT JOIN c ON d"),
        ("a CROSS JOIN b, c JOIN d ON e", "a CROSS JOIN b, c JOIN d ON e"),
        ("(SELECT 1 FROM a CROSS JOIN b) JOIN c ON d", "(SELECT 1 FROM a CROSS JOIN b) JOIN c ON d"),
        ("SELECT across FROM cross_join ON a", "SELECT across FROM cross_join ON a"),
        ("SELECT 1e5, 0x1F, 1.5", "SELECT 1e5, 0x1F, 1.5"),
        ("SELECT 'ß' AS größe, user", "SELECT 'ß' AS größe, \"user\""),
        ("", ""),
    ],
)
def test_each_rule(common: str, wanted: str) -> None:
    assert translated(common) == wanted


_TEXT = st.text(st.characters(exclude_characters="'\"\n*/-", exclude_categories=["Cs"]), max_size=8)
_PARTS = st.one_of(
    st.sampled_from(
        [
            ("?", "%s"),
            (":at", "%(at)s"),
            ("user", '"user"'),
            ("%", "%%"),
            ("::", "::"),
            ("(", "("),
            (")", ")"),
            ("SELECT", "SELECT"),
            ("account.user", 'account."user"'),
        ]
    ),
    _TEXT.map(lambda text: (f"'{text}'", f"'{text}'".replace("%", "%%"))),
    _TEXT.map(lambda text: (f'"{text}"', f'"{text}"'.replace("%", "%%"))),
    _TEXT.map(lambda text: (f"/*{text}*/", f"/*{text}*/".replace("%", "%%"))),
    _TEXT.map(lambda text: (f"--{text}\n", f"--{text}\n".replace("%", "%%"))),
)


@given(st.lists(_PARTS, max_size=12))
def test_a_statement_is_the_sum_of_its_parts(parts: list[tuple[str, str]]) -> None:
    """Whatever stands in a literal, a quoted name or a comment changes nothing around it, and is not changed."""
    assert translated(" ".join(one for one, _ in parts)) == " ".join(other for _, other in parts)


@given(st.text(max_size=60))
def test_any_text_is_translated_and_every_percent_sign_is_a_place_or_doubled(text: str) -> None:
    found = translated(text)
    assert "%" not in re.sub(r"%%|%s|%\([A-Za-z_]\w*\)s", "", found)


@given(st.text("abc ,.()=<>+*'\"-\n", max_size=60))
def test_what_is_common_stays(text: str) -> None:
    assert translated(text) == text
