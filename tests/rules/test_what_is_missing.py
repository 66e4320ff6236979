"""Something new that is said in one place only: it works there, or the program says at once what is missing."""

import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from telnetd.listener.systemd import SocketActivationError, by_door
from tests.rules.unread_settings import Settings

PROGRAM = Path(__file__).parents[2] / "yawc_poker"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A copy of the program that may be changed."""
    return shutil.copytree(PROGRAM, tmp_path / "yawc_poker")  # compiled as it is, which saves half of the time


def change(module: Path, old: str, new: str) -> None:
    text = module.read_text()
    assert text.count(old) == 1
    module.write_text(text.replace(old, new))


def run(program: Path, code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=program.parent, capture_output=True, text=True, check=False)


def test_a_section_of_the_configuration_is_read(program: Path) -> None:
    shop = 'class Shop(Section, frozen=True):\n    """`[shop]`: a shop."""\n\n    price: int = 1\n\n\n'
    change(program / "config.py", "class CommonSections(", f"{shop}class CommonSections(")
    change(program / "config.py", "    bbs: Bbs = Bbs()\n", "    bbs: Bbs = Bbs()\n    shop: Shop = Shop()\n")
    done = run(program, "from yawc_poker.config import parse; print(parse('[shop]\\nprice = 7', 'file').shop.price)")
    assert (done.stdout, done.stderr) == ("7\n", "")


def test_every_setting_is_read() -> None:
    assert Settings(PROGRAM, PROGRAM.parent / "telnetd").unread() == []


SHOP = """
class Section: ...

class Shop(Section):
    price: int = 1
    port: int = 1
    host: str = ""

    def __post_init__(self):
        assert self.port

class Stall(Shop):
    colour: str = "red"
    price: int = 2

class CommonSections(Section):
    shop: Shop = Shop()
    stall: Stall = Stall()
"""
READERS = """
def charge(config):
    shop = config.shop
    return shop.price

class HasHost(Protocol):
    def host(self): ...

def where(settings: HasHost):
    return settings.host

def call(settings: Shop, other):
    return where(settings), other.port
"""


def test_a_setting_that_nobody_reads_is_found(tmp_path: Path) -> None:
    (tmp_path / "config.py").write_text(SHOP)
    (tmp_path / "readers.py").write_text(READERS)
    assert Settings(tmp_path).unread() == ["Shop.port", "Stall.colour"]


def test_a_language_without_its_facts_is_an_error_at_import(program: Path) -> None:
    change(program / "words.py", 'Literal["en", "de", "nl", "fr"]', 'Literal["en", "de", "nl", "fr", "eo"]')
    done = run(program, "import yawc_poker.words")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == "TypeError: TONGUES and Language differ in eo"


TOLD = """
from yawc_poker.catalogues import all_languages, words
from yawc_poker.table_ui.commands import asked, commands_at_table
print(asked("/dance on the table", all_languages()))
print("/dance" in commands_at_table(words("de"), house=False).split(", "))
"""


UNKNOWN_KIND = """
from types import SimpleNamespace as Any
from yawc_poker.casino.moderation import actions
row = actions.SYSOP_ACTIONS["warn"]
actions.open_user = lambda *given: Any(id=1, name="Anna")
row.carry_out(Any(instance=Any(), by="Root"), row.fill({"name": "Anna", "reason": "why"}))
"""


def test_a_command_that_does_nothing_is_an_error_at_import(program: Path) -> None:
    change(
        program / "table_ui" / "commands.py", "COMMANDS: Final = (\n", 'COMMANDS: Final = (\n    Command("/dance"),\n'
    )
    done = run(program, TOLD)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("missing 1 required positional argument: 'wish'")


@pytest.mark.parametrize("name", ["/seal", "dance"], ids=["a name that another has", "without the sign"])
def test_a_command_that_cannot_be_given_is_an_error_at_the_start(program: Path, name: str) -> None:
    table = "COMMANDS: Final = (\n"
    change(program / "table_ui" / "commands.py", table, f'{table}    Command("{name}", ChooseOption, ("table",)),\n')
    done = run(program, TOLD)
    assert done.returncode == 1
    assert "ValueError: commands begin with / and have different names" in done.stderr


def test_a_sysop_action_of_a_kind_that_no_row_has_is_not_written_down(program: Path) -> None:
    rows = program / "casino" / "moderation" / "actions.py"
    change(rows, 'write_down(sysop, "warn", user', 'write_down(sysop, "wran", user')
    done = run(program, UNKNOWN_KIND)
    assert done.stderr.splitlines()[-1] == "ValueError: no sysop action has the kind 'wran'"


def test_a_command_is_understood_and_told_by_its_line(program: Path) -> None:
    table = "COMMANDS: Final = (\n"
    change(program / "table_ui" / "commands.py", table, f'{table}    Command("/dance", ChooseOption, ("table",)),\n')
    done = run(program, TOLD)
    assert (done.stdout, done.stderr) == ("ChooseOption(text='on the table')\nTrue\n", "")


def test_a_command_of_an_extra_is_understood_and_told(program: Path) -> None:
    folder = program / "extras" / "party"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "commands.py").write_text(
        "from yawc_poker.table_ui.commands import Command, StartGame\n"
        'ANNOUNCED = (Command("/dance", lambda _: StartGame(), ("table",)),)\n'
    )
    done = run(program, TOLD)
    assert (done.stdout, done.stderr) == ("StartGame()\nTrue\n", "")


EXTRAS = "yawc_poker.extras"
MADE_UP = """\
from yawc_poker.config import Config
from yawc_poker.doors import At, DoorKind

ANNOUNCED = (
    DoorKind(
        "speech",
        {counter},
        "{extras}.speech.service:{service}",
        lambda config: At(port=0),
        {way},
        announcement="who speaks: {{}}",
    ),
)
"""
SERVICE = """\
from yawc_poker.bbs.service import Service
from yawc_poker.session.caller.endings import Exit


class Deaf(Service):
    pass


class Speech(Service):
    def answer(self, connection, peer, open_instance):
        return Exit.OK
"""
OPEN = """\
from pathlib import Path
from telnetd.doors.door import Chosen, Opening
from yawc_poker.casino import counters
from yawc_poker.config import Config, TelnetSettings
from yawc_poker.doors import kinds, words

chosen = Chosen("127.0.0.1", 0, {kind.option.flag: 0 for kind in kinds().values() if kind.option})
doors = Opening(Config(telnet=TelnetSettings(port=0)), chosen, Path("."), {}).by_tcp()
print([door.name for door in doors], words()[17], counters.ACCEPTED["speech"] == counters.ACCEPTED["tls"] + 3)
"""


@pytest.fixture
def with_a_door(program: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return a function that adds an extra with a door of its own, and opens the doors."""
    shutil.copytree(PROGRAM.parent / "telnetd", program.parent / "telnetd")
    extra = program / "extras" / "speech"
    extra.mkdir()
    (extra / "__init__.py").touch()
    (extra / "service.py").write_text(SERVICE)

    def opened(service: str = "Speech", counter: int = 9, way: int = 17) -> subprocess.CompletedProcess[str]:
        (extra / "doors.py").write_text(MADE_UP.format(extras=EXTRAS, service=service, counter=counter, way=way))
        return run(program, OPEN)

    return opened


def test_a_door_is_one_value_that_the_listener_the_directory_and_the_metrics_know(
    with_a_door: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = with_a_door()
    assert (done.stdout, done.stderr) == ("['telnet', 'speech'] speech True\n", "")


@pytest.mark.parametrize(
    ("lacking", "error"),
    [
        ({"service": "Speach"}, f"TypeError: door speech: {EXTRAS}.speech.service:Speach is no Service"),
        ({"service": "Deaf"}, "TypeError: Can't instantiate abstract class Deaf"),
        ({"counter": 6}, "ValueError: two doors have one counter"),
        ({"counter": 16}, "ValueError: a door's counter must be less than 16"),
        ({"way": 1}, "ValueError: two ways in have one number"),
    ],
)
def test_a_door_that_lacks_something_is_an_error_at_the_start(
    with_a_door: Callable[..., subprocess.CompletedProcess[str]], lacking: dict[str, str | int], error: str
) -> None:
    done = with_a_door(**lacking)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].startswith(error)


def test_a_socket_for_a_door_that_there_is_not_is_an_error_at_the_start() -> None:
    with socket.create_server(("127.0.0.1", 0)) as passed:
        assert by_door([("yawc.socket", passed), ("tls", passed)], ("telnet", "tls")).keys() == {"telnet", "tls"}
        with pytest.raises(SocketActivationError, match="for the door 'speech', which this program does not have"):
            by_door([("speech", passed)], ("telnet", "tls"))
