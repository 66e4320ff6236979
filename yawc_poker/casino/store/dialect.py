"""The statements of this program in PostgreSQL's words. Pure.

The common text is what SQLite reads, and what PostgreSQL reads after these changes, which spare literals, quoted names
and comments:

* `?` and `:name` become `%s` and `%(name)s`, as psycopg wants parameters. It looks for them in the whole text, so every
  other `%` is doubled, also in literals and comments; psycopg undoes that.
* `user` becomes `"user"`: bare it means the current role.
* `CROSS JOIN x ON ...`, by which SQLite is told an order, becomes `JOIN x ON ...`; without ON it stays.

Everything else is up to the authors of the statements: no OR IGNORE, OR REPLACE, `rowid`, `ifnull`, `lastrowid`, no
columns beside GROUP BY, no alias in WHERE or HAVING, no NOCASE, no booleans where there are numbers.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

_TOKEN: Final = re.compile(
    r"""
    (?P<fixed>'(?:[^']|'')*' | "(?:[^"]|"")*" | --[^\n]* | /\*.*?\*/ | :: )
    | (?P<place>\?) | :(?P<named>[A-Za-z_]\w*)
    | (?P<word>[^\W\d]\w*)
    | \d[\w.]* | \s+ | .
    """,
    re.VERBOSE | re.DOTALL,
)
_CONDITION: Final = frozenset({"ON", "USING"})
_CLAUSES: Final = "EXCEPT GROUP HAVING INTERSECT LIMIT OFFSET ORDER RETURNING UNION WHERE"
_JOINS: Final = "CROSS FULL INNER JOIN LEFT NATURAL RIGHT"
_AFTER_TABLE: Final = _CONDITION.union(",;", _CLAUSES.split(), _JOINS.split())
"""What may come after a joined table."""


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """Return a statement of the common text as psycopg takes it for PostgreSQL, with parameters, even if it has none.

    It is remembered: there are some hundred statements.
    """
    tokens = list(_TOKEN.finditer(sql))
    return "".join(_translated(tokens, number) for number in range(len(tokens)))


def _translated(tokens: list[re.Match[str]], number: int) -> str:
    token = tokens[number]
    if token["place"]:
        return "%s"
    if token["named"]:
        return f"%({token['named']})s"
    word = (token["word"] or "").upper()
    if word == "USER":
        return '"user"'
    if word == "CROSS" and _is_join_with_condition(tokens, number):
        return ""
    return token[0].replace("%", "%%")


def _is_join_with_condition(tokens: list[re.Match[str]], number: int) -> bool:
    """Return whether the CROSS at a token stands before a join that has a condition."""
    words = _words(tokens, number + 1)
    if next(words, "") != "JOIN":
        return False
    return next((word for word in words if word in _AFTER_TABLE), "") in _CONDITION


def _words(tokens: list[re.Match[str]], start: int) -> Iterator[str]:
    """Yield words and signs from a token on, in capitals, without what is in brackets, to the bracket that closes."""
    depth = 0
    for token in tokens[start:]:
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0:
            return
        if not depth and not token["fixed"] and not token[0].isspace():
            yield token[0].upper()
