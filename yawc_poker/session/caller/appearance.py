"""How a caller is addressed: their language, their characters, and what they prefer.

Owns what follows from these three together: the `Words` that fit them and the palette of the display. Remembers nothing
beyond the call; `Caller` keeps what is chosen with the account.
"""

from yawc_poker.appearance.preferences import Preferences, fitted
from yawc_poker.catalogues import words
from yawc_poker.terminal.display import Display
from yawc_poker.terminal.kinds import Charset, shows_umlauts
from yawc_poker.terminal.line import Line
from yawc_poker.terminal.sequences import palette
from yawc_poker.words import Language, Words


class Appearance:
    """How one caller is addressed."""

    def __init__(self, line: Line, display: Display, language: Language) -> None:
        self.preferences = Preferences()
        self.chosen_charset: Charset | None = None
        self._line = line
        self._display = display
        self.speak(language)

    @property
    def plain(self) -> bool:
        """Whether the caller's terminal knows no umlauts."""
        return not shows_umlauts(self._line.kind, self._line.charset)

    @property
    def fitted(self) -> Preferences:
        """What the caller prefers, and what fits their terminal where they have not chosen."""
        return fitted(self.preferences, on_page=self._line.page is not None)

    @property
    def symbols(self) -> bool:
        """Whether suits are shown as ♣ ♠ ♥ ♦.

        Only in UTF-8. In CP437 they are the bytes 3 to 6, which are controls on the wire: a club would be ENQ, to which
        terminals answer as if their caller had typed, and a terminal that is not a PC shows none of them.
        """
        return self.fitted.suits == "symbols" and self._line.charset == "utf-8"

    def speak(self, language: Language) -> None:
        """Address the caller in this language."""
        self.words = self._fitting(language)
        if self._line.page is not None:
            self._line.page.speak(language)

    def show_as(self, charset: Charset) -> bool:
        """Show this character set from now on; False: not to a page's terminal, which is UTF-8."""
        if self._line.page is not None:
            return False
        self.chosen_charset = charset
        self.follow_line()
        return True

    @property
    def in_lines(self) -> bool:
        """Whether tables are told in lines: by the caller's choice, or, without one, if a screen reader is there."""
        chosen = self.preferences.linear
        return self._line.has_reader if chosen is None else chosen

    def follow_line(self) -> None:
        """Fit what the caller's side has told of its terminal, but keep the caller's own choice of characters."""
        self._display.show_lines(self.in_lines)
        if self.chosen_charset is not None and self._line.charset != self.chosen_charset:
            self._line.charset = self.chosen_charset
            self._display.refit()
        self._address()

    def prefer(self, preferences: Preferences) -> None:
        """Show things as the caller prefers."""
        self.preferences = preferences
        self._display.wear(palette(self.fitted))
        if not preferences.title or self.in_lines:
            self._display.title("")
        self._display.show_lines(self.in_lines)
        self._address()

    def _address(self) -> None:
        self.words = self._fitting(self.words.language)

    @property
    def spoken(self) -> Words:
        """The texts as they are read aloud, of a page's messages: with cards by name, whatever the terminal shows."""
        return words(self.words.language, spoken=True)

    def _fitting(self, language: Language) -> Words:
        return words(
            language,
            plain=self.plain,
            symbols=self.symbols,
            spoken=not self._display.can_draw,
            english_cards=self.preferences.letters == "english",
        )
