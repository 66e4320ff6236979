"""The Doppelkopf table on the screen: scene and local state in, frame out. Pure.

Owns what stands where: the trick and the hand at the left, the players and the commands at the right, or the people and
the options where no match runs. All games share the other regions (`table_ui.screen`). `render` never raises.

This module is the game's `Face`: `fresh`, `scene`, `press`, `follow`, `hear`, `decided`, `refused`, `noticed`,
`announced`, `refusal`, `guide`, `render`, `small`.
"""

from yawc_poker.games.doppelkopf.model import (
    LEVELS,
    SEATS,
    SOLOS,
    MayAnswer,
    MayCall,
    MayName,
    MayPlay,
    MayReserve,
    Options,
    View,
)
from yawc_poker.games.doppelkopf.ui.guide import guide
from yawc_poker.games.doppelkopf.ui.keys import follow, hear, press, refused
from yawc_poker.games.doppelkopf.ui.names import call_name, kind_name, team_name
from yawc_poker.games.doppelkopf.ui.regions.panel import draw_panels
from yawc_poker.games.doppelkopf.ui.regions.players import draw_players
from yawc_poker.games.doppelkopf.ui.regions.score import draw_order, draw_rounds, draw_score
from yawc_poker.games.doppelkopf.ui.regions.trick import draw_hand, draw_trick, held
from yawc_poker.games.doppelkopf.ui.scene import (
    CALL_KEYS,
    LAST_KEY,
    NONE,
    SOLO_KEYS,
    TABLE_KEY,
    WEDDING_KEY,
    Local,
    Scene,
    choices,
    chosen,
    decided,
    fresh,
    match,
    may_decide,
    name_of,
    next_options,
    playable,
    scene,
    shown_result,
    usable,
)
from yawc_poker.games.doppelkopf.ui.speech import refusal
from yawc_poker.table_ui import screen as common
from yawc_poker.table_ui.keys import announced, noticed
from yawc_poker.table_ui.screen import COMMAND_ROWS, WIDTH
from yawc_poker.table_ui.small import Small, small_frame
from yawc_poker.table_ui.speech import card_text, cards_text
from yawc_poker.terminal.frame import Canvas, Frame, Style
from yawc_poker.terminal.widgets import wrap
from yawc_poker.words import Words

__all__ = [
    "Local",
    "Scene",
    "announced",
    "decided",
    "follow",
    "fresh",
    "guide",
    "hear",
    "noticed",
    "press",
    "refusal",
    "refused",
    "render",
    "scene",
    "small",
]


def render(scene: Scene, local: Local, words: Words, columns: int, rows: int) -> Frame:
    """Draw the table as one caller sees it in a window of `columns` by `rows` cells."""
    if common.is_too_small(columns, rows):
        return small_frame(scene, local, words, columns, rows, small(scene, local, words))
    canvas = Canvas(*common.size(columns, rows))
    view = match(scene)
    if view is None:
        common.draw_lines(canvas, words)
        _draw_waiting(canvas, scene, local, words)
    else:
        common.draw_titled_lines(canvas, _round(scene, view, words), "")
        _draw_match(canvas, scene, view, local, words)
    common.draw_hint(canvas, words)
    common.draw_counter(canvas, scene, words)
    _draw_commands(canvas, scene, local, words)
    common.draw_status(canvas, scene, _status(scene, words))
    if local.page == "table" and scene.game is not None:
        draw_rounds(canvas, scene, scene.game.results, words)
    else:
        common.draw_talk(canvas, local.talk)
    draw_panels(canvas, scene, local, words)
    return common.fitted(canvas.frame(common.draw_input(canvas, scene, local)), rows)


def small(scene: Scene, local: Local, words: Words) -> Small:
    """Return what a small window shows of Doppelkopf."""
    view, cards = match(scene), ""
    if view is not None:
        own = " ".join(f"[{card.key}]{card.text}" if card.key else card.text for card in held(scene, local, words))
        trick, label = cards_text(view.round.trick, words), words("Trick:")
        cards = f"{label} {trick}   {own}".rstrip() if trick else own
    return Small(_prompt(scene, local, words) or _more_lines(scene, local, words), cards)


# --- the left half ----------------------------------------------------------------------------------------------------


def _round(scene: Scene, view: View, words: Words) -> str:
    name = name_of(scene, view.round.dealer, words)
    return words("Round {n} of {rounds}, dealer: {name}", n=view.round.number, rounds=view.options.games, name=name)


def _draw_match(canvas: Canvas, scene: Scene, view: View, local: Local, words: Words) -> None:
    result = shown_result(view, local.page)
    if result is not None:
        draw_score(canvas, scene, result, words)
    else:
        draw_trick(canvas, scene, view, local, words)
        if view.hand is None:
            common.draw_info(canvas, common.next_game(scene, words))
        else:
            draw_hand(canvas, scene, view, local, words)
    draw_players(canvas, scene, view, words)


def _draw_waiting(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    """Draw the people at the table, how the next match is played, and how the last one ended."""
    common.draw_people(canvas, scene.people, words)
    result = shown_result(scene.game, local.page) if local.page == "table" else None
    _draw_options(canvas, scene, next_options(scene, local), words)
    if result is not None:
        draw_score(canvas, scene, result, words)
    elif scene.game is not None and not (scene.sits_out or scene.out):
        draw_order(canvas, scene, scene.game, words)
    else:
        common.draw_info(canvas, common.unless_out(scene, _needed(scene, words), words))


def _needed(scene: Scene, words: Words) -> str:
    missing = SEATS - len(scene.people) - (not scene.looks_on)
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
    common.draw_fields(
        canvas,
        (
            common.master_field(scene, words),
            common.turn_field(scene, words),
            (words("Match:"), games, Style.BOLD),
            (words("Stakes:"), _stakes(options, words), Style.BOLD),
        ),
    )


def _stakes(options: Options, words: Words) -> str:
    return words("{n} CUBES a point", n=options.cubes) if options.cubes else words("points only")


# --- commands and status ----------------------------------------------------------------------------------------------


def _draw_commands(canvas: Canvas, scene: Scene, local: Local, words: Words) -> None:
    """Draw the commands; those that can be guessed or are shown elsewhere make room for a notice."""
    notice = common.notice(scene, local, words)
    room = max(COMMAND_ROWS - len(wrap(notice, WIDTH - 2)) - 1, 1)
    more = _more_lines(scene, local, words)[:room]
    lines = common.command_lines(local, _prompt(scene, local, words), more, notice, words, chats=scene.chats)
    common.draw_commands(canvas, tuple(lines), notice)


def _prompt(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the open prompt; none in the menu."""
    match local.mode:
        case "chat":
            return common.chat_lines(words)
        case "leave":
            is_scored = scene.game is not None and scene.game.phase == "question"
            last, over = words("If you leave, this round is the last."), words("If you leave, the match is over.")
            return [over if is_scored else last, common.really_leave(words)]
        case _:
            return []


def _more_lines(scene: Scene, local: Local, words: Words) -> list[str]:
    """Return the lines of the keys that are not always usable, the most important first."""
    lines = [common.start_line(words)] if "S" in usable(scene) else []
    for choice in choices(scene):
        match choice:
            case MayReserve():
                lines.append(words("[G] Healthy   [V] Reservation"))
            case MayName(wedding):
                lines += _solo_lines(wedding, words)
            case MayCall():
                lines.append(_call_line(choice, words))
            case MayAnswer():
                lines.append(words("[Y] Go on   [N] End the match"))
            case MayPlay():
                pass  # the last line, below
    if may_decide(scene):
        chosen_line, line = words("[G] Chosen: healthy (again: undo)"), words("[G] Healthy when it is your turn")
        lines.append(line if local.ahead is None else chosen_line)
    if playable(scene):
        lines.append(_card_line(scene, local, words))
    pages = _page_line(scene, local, words)
    return [*lines, pages] if pages else lines


def _solo_lines(wedding: bool, words: Words) -> list[str]:
    """Return the keys of all solos, two in a line."""
    names = [f"[{key}] {kind_name(kind, words)}" for key, kind in zip(SOLO_KEYS, SOLOS, strict=True)]
    if wedding:
        names.append(f"[{WEDDING_KEY}] {kind_name('wedding', words)}")
    return [f"{first:<{WIDTH // 2}}{second}" for first, second in zip(names[::2], [*names[1::2], ""], strict=False)]


def _call_line(choice: MayCall, words: Words) -> str:
    key, call = CALL_KEYS[LEVELS.index(choice.level)].upper(), call_name(choice.team, choice.level, words)
    return words("[{key}] {call}: with {n} cards or more", key=key, call=call, n=choice.least)


def _card_line(scene: Scene, local: Local, words: Words) -> str:
    at = chosen(scene, local)
    if at == NONE or scene.game is None or scene.game.hand is None:
        return words("[<-] [->] Choose a card, or its key")
    return words("[ENTER] Play {card}", card=card_text(scene.game.hand[at], words))


def _page_line(scene: Scene, local: Local, words: Words) -> str:
    back = words("Back")
    texts = {LAST_KEY: words("Last trick"), TABLE_KEY: words("Table of rounds")}
    opened = {"last": LAST_KEY, "table": TABLE_KEY, "score": TABLE_KEY}.get(local.page)
    offered = usable(scene)
    return "   ".join(f"[{key}] {back if key == opened else text}" for key, text in texts.items() if key in offered)


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
