"""The game at a terminal, and its past games: what it says itself."""

from collections.abc import Iterator

from msgspec.structs import replace

from tests.made_up_game import rules
from tests.made_up_game.rules import Boast, Boasted, Event, Move, Options, Placed, State, TurnedOver, TurnOver, View
from yawc_poker.engine.events import Chat, Notice
from yawc_poker.engine.game import IllegalMove
from yawc_poker.engine.values import LogEntry
from yawc_poker.table_ui import screen, speech
from yawc_poker.table_ui.face import Face
from yawc_poker.table_ui.guide import Guide, GuideLine
from yawc_poker.table_ui.intents import Leave, MakeMove, Start
from yawc_poker.table_ui.layout import TableLayout
from yawc_poker.table_ui.narrative import PastRow, Retold, Say, Standing
from yawc_poker.table_ui.scene import Local, Scene
from yawc_poker.terminal.frame import Canvas, Style
from yawc_poker.words import Words


def command(
    local: Local, scene: Scene[View], key: str, words: Words
) -> tuple[Local, MakeMove[Move] | Start[Options] | Leave | None]:
    match key.upper():
        case "S" if scene.is_master and not scene.running:
            return local, Start()
        case "T" | "B" if scene.running:
            return local, MakeMove(TurnOver() if key.upper() == "T" else Boast())
    return local, None


def refusal(illegal: IllegalMove, words: Words) -> str:
    return speech.refusal(illegal, rules.SEATS, words)


def guide(scene: Scene[View], words: Words) -> Guide:
    return Guide((), "Cards", (GuideLine("The highest card wins."),))


def own_cards(scene: Scene[View], local: Local, words: Words) -> str:
    return "" if scene.game is None else " ".join(scene.game.hand)


def regions(canvas: Canvas, scene: Scene[View], local: Local, words: Words) -> None:
    cards = {} if scene.game is None else scene.game.open
    for row, one in enumerate(scene.people, 1):
        canvas.put(0, row, f"{one.name}: {' '.join(cards.get(one.seat, ()))}"[: screen.BORDER])
    screen.draw_fields(canvas, scene, words)
    screen.draw_info(canvas, own_cards(scene, local, words))


# --- in words ---------------------------------------------------------------------------------------------------------


def plain(event: Event | Notice, name: str, words: Words) -> str:
    match event:
        case TurnedOver(card=card):
            return words("{name} turns over {card}.", name=name, card=card)
        case Boasted():
            return words("{name} boasts.", name=name)
        case Placed(place=place):
            return words("{name} gets place {n}.", name=name, n=place)
    return speech.person(event, name, words) or speech.system(event, name, words)


def sentences(entry: LogEntry[Event], words: Words) -> tuple[tuple[str, Style], ...]:
    if isinstance(entry.event, Chat):
        return ((f"[{entry.name}] {entry.event.text}", Style.PLAIN),)
    return ((f"{speech.INFO} {plain(entry.event, entry.name, words)}", Style.CYAN),)


LAYOUT = TableLayout[View, Local](
    regions=regions,
    cards=own_cards,
    keys=lambda scene, local, words: ["[T] Turn over"],
)
FACE = Face[State, Move, Event, Options, View, Local](
    rules=rules,
    view=rules.view,
    fresh=lambda usual: Local(),
    usable=lambda scene: (),
    command=command,
    follow=lambda local, scene: replace(local, turn=scene.turn),
    sentences=sentences,
    refusal=refusal,
    guide=guide,
    layout=LAYOUT,
)


# --- past games -------------------------------------------------------------------------------------------------------


def telling(_: object, __: object, words: Words) -> Say[State, Event]:
    def say(told: PastRow[State, Event]) -> Iterator[str]:
        yield plain(told.row.event, told.row.name, words)

    return say


def cards_open(states: Iterator[State], seat: int | None) -> list[str]:
    *_, last = states
    return [card for one in last.players for card in (one.hand if one.seat == seat else one.hand[: one.open])]


def results(states: Iterator[State]) -> tuple[Standing, ...]:
    *_, state = states
    places = [(one, rules.place(state, one)) for one in state.players]
    return tuple(Standing(one.seat, (), at, one.gone, at == len(places), at == 1) for one, at in places)


RETOLD = Retold[State, Move, Event, Options](
    rules,
    telling,
    lambda move: type(move).__name__.lower(),
    cards_open=cards_open,
    results=results,
    counted="places",
)
