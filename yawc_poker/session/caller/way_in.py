"""What is known of a caller before they have logged in. Values; the dialogue is `session.menus.login`'s."""

from yawc_poker.words import Language


class Login:
    """A caller's way in, from the first prompt to the first look at the menus."""

    until = 0.0
    """The moment by which the caller has to have logged in. Monotonic seconds."""
    wrong_passwords = 0
    language: Language | None = None
    """Chosen at the name prompt."""
    linear: bool | None = None
    """Lines or a screen, as chosen at the name prompt."""
    is_new = False
    """The user registered in this call."""
    key = ""
    """Fingerprint of the key of ssh that the caller has proven to have; empty: there is none."""
    password_hash = ""
    """What is stored of the password that the caller has proven to know; empty: they came by the key, or are new."""
