"""Whether a game was fair: its proof against its seal, its actions against the rules, its money against the ledger.

Owns the verdict; the rules are an argument, for the casino knows no game. All input is in a `PastGame`, so no file and
no lock is needed.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Literal, NamedTuple

import msgspec

from yawc_poker.casino.bank.history import PastGame
from yawc_poker.casino.bank.history import Proof as GameProof
from yawc_poker.casino.bank.programs import Program, Steps, repeated, sampled
from yawc_poker.casino.store.connection import Connection
from yawc_poker.engine import sealing
from yawc_poker.engine.game import EventT, Game, MoveT, OptionsT, StateT
from yawc_poker.engine.replay import Contradiction, check_order, replay
from yawc_poker.engine.sealing import Begun, Deck, Frozen
from yawc_poker.engine.table import split
from yawc_poker.engine.transcript import Action, Dealt, GivenBack, Held

Verdict = Literal["proven", "unproven", "false"]


class Check(msgspec.Struct, frozen=True):
    """One check and its result."""

    name: str
    ok: bool
    text: str
    """The finding, one line."""


class Proof(NamedTuple):
    """What `yawcctl verify` can check besides games, in the books of an extra."""

    word: str
    """Asks for it on the command line."""
    text: str
    """What is done, for its help."""
    subject: str
    """What is proven, the beginning of a sentence about several."""
    nothing: str
    """Said where there is nothing to check."""
    checks: Callable[[Connection], list[Check]]
    """Check the books; an empty list: there is nothing to check."""


class Verification(msgspec.Struct, frozen=True):
    """The results of all checks; the verdict is "unproven" if there is nothing to check, "false" if one failed."""

    game: int
    verdict: Verdict
    checks: tuple[Check, ...]


def verify(
    played: PastGame,
    rules: Game[StateT, MoveT, EventT, OptionsT],
    program: Program[StateT, MoveT] | None = None,
    *,
    repeat: bool = True,
) -> Verification:
    """Check one game; `program` is that of its house players.

    Their choices are repeated unless `repeat` is false: that takes as long as they thought.
    """
    number, proof = played.game.number, played.proof
    if played.game.seal is None or proof is None:
        return Verification(number, "unproven", (Check("seal", played.game.outcome is None, _why_unproven(played)),))
    checks = tuple(_checks(played, proof, played.game.seal, rules, program, repeat))
    return Verification(number, "proven" if all(check.ok for check in checks) else "false", checks)


def sample(
    played: PastGame, rules: Game[StateT, MoveT, EventT, OptionsT], program: Program[StateT, MoveT] | None
) -> Iterator[bool]:
    """Return what `programs.sampled` yields of a game; nothing of one that cannot be replayed."""
    if program is None or played.proof is None:
        return iter(())
    try:
        dealing = played.dealing()
        return sampled(list(replay(rules, dealing, played.actions)), rules, program, dealing.seed)
    except (Contradiction, ValueError):
        return iter(())


def _why_unproven(played: PastGame) -> str:
    if played.game.seal is None:
        return "the game was not sealed"
    if played.game.outcome is None:
        return "the game still runs: what is sealed is told when it is over"
    return "the game was broken off with its table: what was sealed is lost"


def _checks(
    played: PastGame,
    proof: GameProof,
    told: str,
    rules: Game[StateT, MoveT, EventT, OptionsT],
    program: Program[StateT, MoveT] | None,
    repeat: bool,
) -> Iterator[Check]:
    yield _seal(played, proof, told)
    try:
        dealing = played.dealing()
        check_order(rules, dealing)
        yield Check("order", True, "a whole deck, every card once")
    except ValueError as error:
        yield Check("order", False, str(error))
        return
    if played.game.words is not None:
        yield _words(played, rules)
    if played.begun is not None:
        yield from _commitments(played, played.begun)
    try:
        steps = list(replay(rules, dealing, played.actions))
    except Contradiction as error:
        yield Check("moves", False, str(error))
        return
    yield _whole(played, rules, steps)
    if repeat and (found := repeated(steps, rules, program, dealing.seed)) is not None:
        yield Check("programs", *found)
    yield _hands(proof, rules, steps)
    yield _stakes(played, steps)
    if steps and played.game.outcome != "refunded":
        yield _payout(played, rules, steps)
        yield from _debts(played, rules, steps)


def _seal(played: PastGame, proof: GameProof, told: str) -> Check:
    """Check that the secret gives the salts, salts and cards the row, and the row the seal."""
    if played.game.words is None:
        found = sealing.former_seal(proof.order, proof.secret)
        return Check("seal", found == told, f"SHA-256 of order and salt is {found}, told before the deal: {told}")
    found = sealing.seal(Deck(proof.secret, proof.order))
    return Check("seal", found == told, f"SHA-256 of the row is {found}, told before the words: {told}")


def _words(played: PastGame, rules: Game[StateT, MoveT, EventT, OptionsT]) -> Check:
    """Check that each player, and nobody else, has a word, even if it is empty."""
    words = played.game.words or ()
    try:
        dealt = msgspec.json.decode(played.actions[0].detail, type=Dealt)
        options = rules.read_options(bytes(dealt.options).decode())
    except (IndexError, msgspec.DecodeError) as error:
        return Check("words", False, f"nobody knows who played: {error}")
    wanted = rules.players({person.seat: person.cash for person in dealt.people}, options)
    fits = tuple(word.seat for word in words) == wanted
    text = ", ".join(f"{word.seat + 1} {word.text or '(none)'}" for word in words)
    return Check("words", fits, f"by seat: {text}" if fits else f"by seat: {text}; but others played")


def _commitments(played: PastGame, begun: Begun) -> Iterator[Check]:
    """Check that each text gives what its player was committed to, in the deals that came to nothing as well."""
    texts = {word.seat: word.text for word in played.game.words or ()}
    fits = texts == {one.seat: one.text for one in begun.frozen} and all(map(_is_revealed, begun.frozen))
    text = "SHA-256 of the words, by seat: " + ", ".join(
        f"{one.seat + 1} {one.hash or '(none)'}" for one in begun.frozen
    )
    yield Check("sealed", fits, text if fits else f"{text}; but the words are others")
    for number, deal in enumerate(begun.discarded, 1):
        missing = {one.seat: one for one in deal.missing}
        rest = all(_is_revealed(one) or (one.seat in missing and not one.text) for one in deal.frozen)
        who = ", ".join(f"{one.name} ({one.why})" for one in deal.missing)
        text = f"deal {number} before it, of {sealing.seal(deal.deck)}, came to nothing: {who}"
        yield Check("former", rest and bool(missing), text)


def _is_revealed(one: Frozen) -> bool:
    return one.text == one.hash == "" or (bool(one.text) and sealing.commitment(one.text) == one.hash)


def _forfeited(played: PastGame) -> Counter[int]:
    """Return what was paid for texts that were withheld, by user."""
    discarded = played.begun.discarded if played.begun else ()
    users = {one.user for deal in discarded for one in deal.missing if one.why == "withheld"}
    dealt = {player.user for player in played.game.players if player.seat is not None}
    return Counter({one.user: one.ante for one in played.game.players if one.user in users - dealt})


def _whole(played: PastGame, rules: Game[StateT, MoveT, EventT, OptionsT], steps: Steps[StateT, EventT]) -> Check:
    over = bool(steps) and rules.is_over(steps[-1][1].state)
    whole = bool(steps) and (over or played.game.outcome == "refunded")
    return Check("moves", whole, f"{len(steps)} deeds, all by the rules" if whole else "the last deeds are missing")


def _hands(proof: GameProof, rules: Game[StateT, MoveT, EventT, OptionsT], steps: Steps[StateT, EventT]) -> Check:
    """Check that the hands in the transcript are those that the order gives, and none is missing."""
    dealt, before = [], dict[int, str]()
    for action, step in steps:
        after = dict(rules.hands(step.state))
        dealt += [Held(action.number, seat, cards) for seat, cards in after.items() if before.get(seat) != cards]
        before = after
    wrong = [held for held, true in zip(proof.hands, dealt, strict=False) if held != true]
    if wrong:
        return Check("hands", False, f"seat {wrong[0].seat + 1} cannot have held {wrong[0].cards}")
    return Check("hands", len(proof.hands) <= len(dealt), f"{len(proof.hands)} hands, all as the order gives them")


def _stakes(played: PastGame, steps: Steps[StateT, EventT]) -> Check:
    """Check that the ledger took what the rules asked for, and more only of players whose process died over a bet."""
    asked: Counter[int] = Counter()
    for (action, step), seats in zip(steps, _seats(steps), strict=True):
        for payment in step.payments:
            asked[seats.get(payment.seat, action.user)] += payment.amount
    lost, settled = _booked(played, "bet"), _booked(played, "debt")
    paid = Counter({player.user: player.paid for player in played.game.players}) - settled - _forfeited(played)
    if +(asked + lost) != +paid:
        return Check(
            "stakes", False, f"the rules asked for {dict(asked + lost)} (by user), the ledger has {dict(paid)}"
        )
    back = {action.user: _given_back(action) for action, _ in steps if action.kind == "removed" and action.detail}
    if back != (given := {player.user: player.back for player in played.game.players if player.back}):
        return Check("stakes", False, f"the deeds say that {back} went back (by user), the ledger {given}")
    unseen = f", {lost.total()} of them in a bet that the table never saw" if +lost else ""
    return Check("stakes", True, f"{paid.total()} CUBES paid, as the ledger says{unseen}")


def _booked(played: PastGame, kind: Literal["bet", "debt"]) -> Counter[int]:
    """Return what only the ledger has, by user."""
    found: Counter[int] = Counter()
    for line in played.lines:
        found[line.user] += line.amount if line.kind == kind else 0
    return +found


def _given_back(action: Action) -> int:
    return msgspec.json.decode(action.detail, type=GivenBack).amount


def _seats(steps: Steps[StateT, EventT]) -> Iterator[dict[int, int]]:
    """Yield the user in each seat at each action."""
    seats: dict[int, int] = {}
    for action, _ in steps:
        if action.kind == "deal":
            seats = {person.seat: person.user for person in msgspec.json.decode(action.detail, type=Dealt).people}
        elif action.kind == "join":
            seats = {**seats, action.seat: action.user}
        yield seats


def _payout(played: PastGame, rules: Game[StateT, MoveT, EventT, OptionsT], steps: Steps[StateT, EventT]) -> Check:
    seats = next(_seats(steps))  # shares are those of the players who were dealt in
    pot, winners = played.game.pot, [player for player in played.game.players if player.got > player.back]
    due = {seats.get(seat, 0): part for seat, part in split(pot, rules.payouts(steps[-1][1].state)).items() if part}
    fits = due == {winner.user: winner.got - winner.back for winner in winners}
    whom = " and ".join(winner.name or f"user {winner.user}" for winner in winners) or "nobody"
    text = f"{pot} CUBES, won by {whom}" if pot else "no CUBES were played for"
    return Check("payout", fits, text if fits else f"{text}, but the rules say {due} (by user)")


def _debts(
    played: PastGame, rules: Game[StateT, MoveT, EventT, OptionsT], steps: Steps[StateT, EventT]
) -> Iterator[Check]:
    """Check that nobody paid more in the end than the rules say; less is paid by players who own less."""
    seats, paid = next(_seats(steps)), _booked(played, "debt")
    owed = Counter({seats.get(seat, 0): amount for seat, amount in rules.debts(steps[-1][1].state).items()})
    if not paid and not owed:
        return
    text = f"{owed.total()} CUBES were owed at the end, {paid.total()} of them paid"
    yield Check("debts", paid <= owed, text if paid <= owed else f"{text}, but by user {dict(owed)} and {dict(paid)}")
