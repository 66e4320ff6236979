"""The statements of this program as psycopg takes them for PostgreSQL. Pure.

They are written once, as SQLite reads them. PostgreSQL reads them after these changes:

* `?` and `:name` become `%s` and `%(name)s`, and every `%` is doubled, as psycopg wants it.
* `user` becomes `"user"`: bare it means the current role.
* `CROSS JOIN x ON ...`, by which SQLite is told an order, becomes `JOIN x ON ...`.

Everything else is up to the authors of the statements. No literal has a word in it that would be changed, but for
`'user'` alone; no CROSS JOIN is without ON. No OR IGNORE, OR REPLACE, `rowid`, `ifnull`, `lastrowid`, no columns beside
GROUP BY, no alias in WHERE or HAVING, no NOCASE, no booleans where there are numbers.
"""

import re
from functools import lru_cache
from typing import Final

_CHANGED: Final = re.compile(r"""\?|(?<![:\w]):([A-Za-z_]\w*)|%|\bCROSS(?=\s+JOIN\b)|(?<!['"\w])user(?!['"\w])""")
_INSTEAD: Final = {"?": "%s", "%": "%%", "CROSS": "", "user": '"user"'}


@lru_cache(maxsize=1024)
def translated(sql: str) -> str:
    """Return a statement as psycopg takes it, with parameters, even if it has none.

    It is remembered: there are some hundred statements.
    """
    return _CHANGED.sub(lambda found: f"%({found[1]})s" if found[1] else _INSTEAD[found[0]], sql)
