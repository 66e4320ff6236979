"""The part of a game's page that proves it fair: seal, words, the row, and the cards that the reader may open.

Owns the text; `engine.sealing` computes. Everything can be checked by the shell lines printed here, or by the script of
docs/fairness.md, which reads the page. Only positions of cards that the caller of `proof_lines` names are opened.
"""

from collections.abc import Collection, Iterator

from yawc_poker.casino.bank.history import PastGame, Proof
from yawc_poker.engine import sealing
from yawc_poker.engine.sealing import Begun, Deck, Discarded, PlayerWord
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

WIDTH = 72
"""Cells of a line that callers may want to copy."""


def proof_lines(played: PastGame, opened: Collection[str], words: Words) -> Iterator[str]:
    """Return the proof of a game with the cards that are `opened` to the reader; if all are, with the secret."""
    game = played.game
    if game.seal is None:
        yield words("This game was not sealed.")
    elif game.words is None:
        yield from _former(game.seal, played.proof, words)
    else:
        yield from _sealed(game.seal, words)
        if played.begun is not None:
            yield from _begun(played.begun, words)
        yield from _by_words(game.seal, game.words, words)
        yield ""
        if played.proof is None:
            yield words(
                "The cards are revealed when a game is over; if the BBS went down during the game, they are lost."
            )
        else:
            deck = Deck(played.proof.secret, played.proof.order)
            yield from _opened(deck, sealing.key(game.seal, game.words), opened, words)


def _sealed(seal: str, words: Words) -> Iterator[str]:
    yield words("The seal (SHA256), announced before anybody gave a word; the table showed its first 40 digits:")
    yield f"  {seal}"
    yield ""


def _begun(begun: Begun, words: Words) -> Iterator[str]:
    """Return what the players were committed to, after the deals that came to nothing."""
    for number, deal in enumerate(begun.discarded, 1):
        yield from _discarded(f"d{number}", deal, words)
    yield words("What each player had sealed, by seat: the SHA256 of the text that stands below:")
    yield from (f"  {one.seat + 1}: {one.hash}" for one in begun.frozen if one.hash)
    yield ""


def _discarded(mark: str, deal: Discarded, words: Words) -> Iterator[str]:
    """Return all of a deal that nobody played; each line begins with a mark of its own."""
    for gone in deal.missing:
        if gone.why == "withheld":
            yield words("{name} withheld a word, so a deck before these cards was not played:", name=gone.name)
        else:
            yield words("The word of {name} was lost, so a deck before these cards was not played:", name=gone.name)
    yield f"  {mark} {sealing.seal(deal.deck)}"
    yield f"  {mark} s={deal.deck.secret}"
    yield from (f"  {mark} {line}" for line in wrap(deal.deck.order, WIDTH - 8))
    for one in deal.frozen:
        if one.hash:
            yield f"  {mark} {one.seat + 1}: {one.hash}"
            yield f"  {mark} {one.seat + 1}: {one.text or '-'}"
    yield ""


def _by_words(seal: str, given: tuple[PlayerWord, ...], words: Words) -> Iterator[str]:
    yield words("Seal, seats and words give the key that decides in which order the positions are dealt:")
    yield ""
    yield "  printf '%s\\n' \\"
    first, *others = sealing.key_lines(seal, given)
    yield f"    {first} {'' if not others else chr(92)}"
    for line in others:
        yield f"    '{line}' \\"
    if others:
        yield "    | sha256sum"
    yield f"  {sealing.key(seal, given)}"


def _opened(deck: Deck, key: str, opened: Collection[str], words: Words) -> Iterator[str]:
    cards, row = deck.order.split(), sealing.row(deck)
    is_whole = set(cards) <= set(opened)
    yield words("The positions in the order in which they were dealt:")
    yield f"  {' '.join(map(str, sealing.permutation(key, len(cards))))}"
    yield ""
    yield words("The row, a SHA256 for the card at each position. Together they give the seal:")
    yield ""
    yield "  awk '{print $2}' <<. | sha256sum"
    yield from (f"  {position:>2} {line}" for position, line in enumerate(row, 1))
    yield "."
    yield ""
    if is_whole:
        yield words("All cards with their salts. Each of these gives its line of the row:")
    else:
        yield words("Your cards and those that were shown, with their salts. Each of these gives its line of the row:")
    yield ""
    for text, card in zip(sealing.openings(deck), cards, strict=True):
        if card in opened:
            yield f"  printf %s '{text}' | sha256sum"
    if is_whole:
        yield from _secret(deck.secret, key, words)


def _secret(secret: str, key: str, words: Words) -> Iterator[str]:
    yield ""
    yield words("The secret that gives every salt (here the first) and, with the key, the seed of all later shuffles:")
    yield ""
    yield f"  s={secret}"
    yield f"  k={key}"
    yield '  printf %s "$s 1" | sha256sum | cut -c1-32'
    yield '  printf %s "$s $k" | sha256sum'


# --- games from before there were words -------------------------------------------------------------------------------


def _former(seal: str, proof: Proof | None, words: Words) -> Iterator[str]:
    yield words("The seal (SHA256), announced before anybody could act:")
    yield f"  {seal}"
    yield ""
    if proof is None:
        yield words(
            "Order and salt are shown when a game is over; if the BBS went down during the game, they are lost."
        )
        return
    yield words(
        "The seal is the SHA256 of this text: the cards in the order dealt, and a salt. Check it on any computer:"
    )
    yield ""
    yield from command(f"{proof.order} {proof.secret}")


def command(text: str) -> Iterator[str]:
    """Return the shell command that prints the SHA-256 of a text, in lines that can be copied unchanged."""
    pieces = list(_pieces(text, WIDTH - 13))
    for number, piece in enumerate(pieces):
        start = "    " if number else "  printf %s "
        end = " \\" if number < len(pieces) - 1 else " | sha256sum"
        yield f"{start}'{piece}'{end}"


def _pieces(text: str, width: int) -> Iterator[str]:
    """Cut a text after blanks, longer words anywhere; joined, the pieces are the text."""
    while len(text) > width:
        cut = text.rfind(" ", 0, width) + 1 or width
        yield text[:cut]
        text = text[cut:]
    yield text
