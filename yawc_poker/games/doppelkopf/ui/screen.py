"""The Doppelkopf table on the screen: scene and local state in, frame out. Pure.

Owns what stands where: the trick and the hand at the left, the players and the commands at the right, or the people and
the options where no match runs. All games share the other regions (`table_ui.screen`).
"""

from typing import Final

from yawc_poker.games.doppelkopf import model, rules
from yawc_poker.games.doppelkopf.events import Event
from yawc_poker.games.doppelkopf.model import LEVELS, GameType, MayCall, Move, Options, State, View
from yawc_poker.games.doppelkopf.teams import least_for
from yawc_poker.games.doppelkopf.trumps import order_of
from yawc_poker.games.doppelkopf.ui import keys, panel, players, score
from yawc_poker.games.doppelkopf.ui import scene as seen
from yawc_poker.games.doppelkopf.ui.scene import Local, Scene
from yawc_poker.games.doppelkopf.ui.speech import call_name, kind_name, refusal, sentences, team_name
from yawc_poker.games.doppelkopf.ui.trick import draw_hand, draw_trick, held
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.guide import Guide, GuideKey, GuideLine
from yawc_poker.table_ui.layout import TableLayout, usual_titles
from yawc_poker.table_ui.screen import WIDTH
from yawc_poker.table_ui.speech import card_text, cards_text, court, ranks_text
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

GUIDE_WIDTH: Final = 76
"""Cells of a line of the help."""


def _titles(scene: Scene, words: Words) -> tuple[str, str]:
    view = scene.playing
    return usual_titles(scene, words) if view is None else (_round(scene, view, words), "")


def _draw_regions(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    view = scene.playing
    if view is None:
        _draw_waiting(canvas, scene, local, words)
    else:
        _draw_match(canvas, scene, view, local, words)


def _draw_page(canvas: Canvas, scene: Scene, local: Local, words: Words) -> bool:
    """Draw the table of rounds, if it is open."""
    if local.page != "table" or scene.game is None:
        return False
    score.draw_rounds(canvas, scene, scene.game.results, words)
    return True


def _cards(scene: Scene, local: Local, words: Words) -> str:
    """Return the trick and the caller's hand."""
    view = scene.playing
    if view is None:
        return ""
    own = " ".join(f"[{card.key}]{card.text}" if card.key else card.text for card in held(scene, local, words))
    trick, label = cards_text(view.round.trick, words), words("Trick:")
    return f"{label} {trick}   {own}".rstrip() if trick else own


# --- the left half ----------------------------------------------------------------------------------------------------


def _round(scene: Scene, view: View, words: Words) -> str:
    name = seen.name_of(scene, view.round.dealer)
    return words("Round {n} of {rounds}, dealer: {name}", n=view.round.number, rounds=view.options.games, name=name)


def _draw_match(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    result = seen.shown_result(view, local.page)
    if result is not None:
        score.draw_score(canvas, scene, result, words)
    else:
        draw_trick(canvas, scene, view, local, words)
        if view.hand is None:
            common.draw_info(canvas, common.next_game(scene, words))
        else:
            draw_hand(canvas, scene, view, local, words)
    players.draw_players(canvas, scene, view, words)


def _draw_waiting(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    """Draw the people at the table, how the next match is played, and how the last one ended."""
    common.draw_people(canvas, scene.people, words)
    result = seen.shown_result(scene.game, local.page) if local.page == "table" else None
    _draw_options(canvas, scene, seen.next_options(scene, local), words)
    if result is not None:
        score.draw_score(canvas, scene, result, words)
    elif scene.game is not None and not (scene.sits_out or scene.out):
        score.draw_order(canvas, scene, scene.game, words)
    else:
        common.draw_info(canvas, common.unless_out(scene, _needed(scene, words), words))


def _needed(scene: Scene, words: Words) -> str:
    missing = model.SEATS - len(scene.people) - (not scene.looks_on)
    if missing:
        return words.count(
            "Doppelkopf is for four: {n} more player is needed.",
            "Doppelkopf is for four: {n} more players are needed.",
            missing,
        )
    if scene.looks_on:
        return common.before_start(scene, words)
    more = words("By /option in the chat line the master chooses how it is played.")
    return f"{common.before_start(scene, words)} {more}"


def _draw_options(canvas: Canvas, scene: Scene, options: Options, words: Words) -> None:
    if options.tournament:
        games = words("tournament, {n} games", n=options.games)
    else:
        games = words.count("{n} round", "{n} rounds", options.games)
    at_stake = (words("Stakes:"), _stakes(options, words), Style.BOLD)
    common.draw_fields(canvas, scene, words, (words("Match:"), games, Style.BOLD), at_stake)


def _stakes(options: Options, words: Words) -> str:
    return words("{n} CUBES a point", n=options.cubes) if options.cubes else words("points only")


# --- commands and status ----------------------------------------------------------------------------------------------


def _loss(scene: Scene, words: Words) -> str:
    is_scored = scene.game is not None and scene.game.phase == "question"
    last = words("If you leave, this round is played on for you, and is the last.")
    over = words("If you leave, the match is over.")
    return over if is_scored else last


def _more_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the keys that are not always usable, the most important first."""
    lines = [common.start_line(words)] if "S" in seen.usable(scene) else []
    for choice in seen.choices(scene):
        match choice:
            case model.MayReserve():
                lines.append(words("[G] Healthy   [V] Reservation"))
            case model.MayName(wedding):
                lines += _solo_lines(wedding, words)
            case model.MayCall():
                lines.append(_call_line(choice, words))
            case model.MayAnswer():
                lines.append(words("[Y] Go on   [N] End the match"))
            case model.MayPlay():
                pass  # the last line, below
    if seen.may_decide(scene):
        chosen_line, line = words("[G] Chosen: healthy (again: undo)"), words("[G] Healthy when it is your turn")
        lines.append(line if local.ahead is None else chosen_line)
    if seen.playable(scene):
        lines.append(_card_line(scene, local, words))
    pages = _page_line(scene, local, words)
    return [*lines, pages] if pages else lines


def _solo_lines(wedding: bool, words: Words) -> list[str]:
    """Return the keys of all solos, two in a line."""
    names = [f"[{key}] {kind_name(kind, words)}" for key, kind in zip(seen.SOLO_KEYS, model.SOLOS, strict=True)]
    if wedding:
        names.append(f"[{seen.WEDDING_KEY}] {kind_name('wedding', words)}")
    return [f"{first:<{WIDTH // 2}}{second}" for first, second in zip(names[::2], [*names[1::2], ""], strict=False)]


def _call_line(choice: model.MayCall, words: Words) -> str:
    key, call = seen.CALL_KEYS[model.LEVELS.index(choice.level)].upper(), call_name(choice.team, choice.level, words)
    return words("[{key}] {call}: with {n} cards or more", key=key, call=call, n=choice.least)


def _card_line(scene: Scene, local: Local, words: Words) -> str:
    at = seen.chosen(scene, local)
    if at == seen.NONE or scene.game is None or scene.game.hand is None:
        return words("[<-] [->] Choose a card, or its key")
    return words("[ENTER] Play {card}", card=card_text(scene.game.hand[at], words))


def _page_line(scene: Scene, local: Local, words: Words) -> str:
    texts = {seen.LAST_KEY: words("Last trick"), seen.TABLE_KEY: words("Table of rounds")}
    backs = {seen.LAST_KEY: words("This trick"), seen.TABLE_KEY: words("Messages")}
    opened = {"last": seen.LAST_KEY, "table": seen.TABLE_KEY, "score": seen.TABLE_KEY}.get(local.page)
    offered = seen.usable(scene)
    return "   ".join(
        f"[{key}] {backs[key] if key == opened else text}" for key, text in texts.items() if key in offered
    )


def _status(scene: Scene, words: Words) -> str:
    """Return the caller's team, cards and points."""
    view = scene.game
    if view is None or view.place is None:
        return ""
    mine = view.players[view.place]
    points = words.count("{n} point", "{n} points", mine.total)
    if view.options.cubes:
        points += "   " + _stakes(view.options, words)
    if not scene.running or view.round.game is None or view.phase != "play":
        return points
    team = "?" if mine.team is None else team_name(mine.team, words)
    cards = words.count("{n} card", "{n} cards", mine.cards)
    return f"{team}   {cards}   {points}"


# --- the help over the screen -----------------------------------------------------------------------------------------


def guide(scene: Scene, words: Words) -> Guide:
    """Return Doppelkopf's keys, and the order of the cards in the game that is played."""
    view = scene.playing
    game = view.round.game if view is not None and view.round.game is not None else GameType("normal")
    order = order_of(game.kind)
    trumps, ranks = cards_text(order.trumps, words) or words("(none)"), court(words)
    texts = [
        *wrap(words("Trumps, the highest first: {cards}", cards=trumps), GUIDE_WIDTH),
        words("Other suits, the highest first: {ranks}", ranks=ranks_text(order.ranks, words)),
        words("Eyes: {ace} 11, 10 10, {king} 4, {queen} 3, {jack} 2, 9 0. Re wins with 121, Contra with 120.", **ranks),
        "",
        words("Calls, with so many cards in hand or more:"),
        *_call_table(game, words),
    ]
    return Guide(_keys(scene, words), words("Order of the cards, and calls"), tuple(map(GuideLine, texts)))


def _call_table(game: GameType, words: Words) -> tuple[str, ...]:
    """Return how many cards each call needs: fewer where a wedding became clear late, or still may."""
    team, no90, no60, no30, black = (least_for(game, level) for level in LEVELS)
    table = (
        words("[C] Re, Contra: {team}   [D] no 90: {no90}   [E] no 60: {no60}", team=team, no90=no90, no60=no60),
        words("[F] no 30: {no30}   [G] black: {black}", no30=no30, black=black),
    )
    if not game.is_open:
        return table
    return (*table, words("One card fewer if the wedding is clear in trick 2, two fewer in trick 3."))


def _keys(scene: Scene, words: Words) -> tuple[GuideKey, ...]:
    """Return the keys of a match, each with when it means something."""
    offered, plays = seen.usable(scene), bool(seen.playable(scene))
    pages = "   ".join((words("[L] Last trick"), words("[T] Table of rounds")))
    says = seen.RESERVE_KEY in offered or seen.may_decide(scene)
    calls = any(isinstance(choice, MayCall) for choice in seen.choices(scene))
    return (
        GuideKey(words("[1] [2] ... Play the card"), words("on your turn"), plays and _has_card(offered)),
        GuideKey(words("[<-] [->] [ENTER] Choose and play"), words("on your turn"), plays),
        GuideKey(words("[G] Healthy   [V] Reservation"), words("before the round; [G] also ahead"), says),
        GuideKey(words("[C] to [G] Call"), words("also when it is not your turn"), calls),
        GuideKey(pages, words("again: back"), seen.LAST_KEY in offered or seen.TABLE_KEY in offered),
        GuideKey(words("[Y] Go on   [N] End the match"), words("after a round"), "Y" in offered),
    )


def _has_card(offered: tuple[str, ...]) -> bool:
    return any(key in seen.CARD_KEYS for key in offered)


LAYOUT: Final = TableLayout[View, Local](
    regions=_draw_regions,
    panels=panel.draw_panels,
    cards=_cards,
    keys=_more_lines,
    status=_status,
    loss=_loss,
    titles=_titles,
    page=_draw_page,
    makes_room=True,
)

FACE: Final = Face[State, Move, Event, Options, View, Local](
    rules=rules,
    view=rules.view,
    fresh=seen.fresh,
    usable=seen.usable,
    command=keys.command,
    follow=keys.follow,
    sentences=sentences,
    refusal=refusal,
    guide=guide,
    layout=LAYOUT,
    forfeits=seen.is_player,
    decided=seen.decided,
)
