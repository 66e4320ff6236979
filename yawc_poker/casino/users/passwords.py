"""Passwords: which texts may be new ones, how one is stored, and how one is made at random.

Owns the rules and the hash (Argon2id); touches no database, so that all of it can be done in another process. The rules
are for new passwords: one that was chosen under older rules stays valid.
"""

import secrets
import unicodedata
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Literal, TypeAlias

from argon2 import PasswordHasher
from argon2.exceptions import HashingError, InvalidHashError, VerificationError, VerifyMismatchError

from yawc_poker.terminal.text import REPLACEMENT, clean

LENGTHS = range(8, 129)
KEPT_LENGTHS = range(1, 129)
"""Of one that is looked at: it may be older than the rules."""
PasswordFault: TypeAlias = Literal["too_short", "too_long", "bad_character", "like_name", "common"]

MOST_QUESTION_MARKS = 16
"""Each further length costs a sysop who looks for such passwords 20 ms an account."""
_JOINER = "\u200d"
_SIGNS = "abcdefghjkmnpqrstuvwxyz23456789"
"""The characters of a random password: none is mistaken for another when it is read out."""
_GROUPS, _GROUP = 3, 4

_hasher = PasswordHasher(time_cost=2, memory_cost=19456, parallelism=1)


def bad_password(password: str, name: str) -> PasswordFault | None:
    """Return why a text may not be a new password of the user with this name, or None if it may."""
    password = unicodedata.normalize("NFC", password)
    if len(password) not in LENGTHS:
        return "too_short" if len(password) < LENGTHS.start else "too_long"
    if not _is_printable(password):
        return "bad_character"
    if _is_like(password, name):
        return "like_name"
    return "common" if is_question_marks(password) or password.casefold() in common_passwords() else None


def as_once_stored(password: str) -> str:
    """Return what older programs made of a typed password before they hashed it: question marks for many characters."""
    return clean(password, LENGTHS[-1])


def is_question_marks(password: str) -> bool:
    """Return whether a password is what older programs made of any one that no terminal could show."""
    return not password.strip(REPLACEMENT)


def question_marks() -> Iterator[str]:
    """Yield the passwords to which older programs brought what is usual in length and cannot be shown."""
    return (REPLACEMENT * length for length in range(LENGTHS.start, MOST_QUESTION_MARKS + 1))


def _is_printable(password: str) -> bool:
    """Return whether all characters are printable, or the joiner that emoji are made with."""
    return password.replace(_JOINER, "").isprintable()


@cache
def common_passwords() -> frozenset[str]:
    """Return the hundred most common that are long enough, those of German keyboards among them; case-folded."""
    return frozenset(files(__package__).joinpath("common_passwords.txt").read_text(encoding="ascii").split())


def _is_like(password: str, name: str) -> bool:
    """Return whether a password is no more than the name: backwards, repeated, with digits or signs around it."""
    word, other = _bare(password), _bare(name)
    letters, core = word.strip("0123456789"), other.strip("0123456789")
    names = {other, other[::-1], core, core[::-1]} - {""}
    return any(text and not text.replace(name, "") for text in (word, letters) for name in names)


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFC", text).casefold()))


def made_password() -> str:
    """Return a password by chance, such as `k7mq-t3vn-x9pw`: 59 bits."""
    return "-".join("".join(secrets.choice(_SIGNS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def verified(stored: str, password: str) -> str | None:
    """Return None if a password does not match the stored hash; else the hash to store instead, empty: none.

    Takes some 20 ms and 19 MB, and touches no database: it may run in another process. Raise `MemoryError`.
    """
    password = unicodedata.normalize("NFC", password)
    if len(password) not in KEPT_LENGTHS or not _is_printable(password):
        return None
    try:
        _hasher.verify(stored, password)
    except (VerifyMismatchError, InvalidHashError):
        return None
    except VerificationError as error:  # it could not be looked at, which says nothing about the password
        raise MemoryError(str(error)) from error
    return hashed(password) if _hasher.check_needs_rehash(stored) else ""


def hashed(password: str) -> str:
    """Hash a password in its composed form: terminals differ in how they send an umlaut. As costly as `verified`."""
    try:
        return _hasher.hash(unicodedata.normalize("NFC", password))
    except HashingError as error:
        raise MemoryError(str(error)) from error
