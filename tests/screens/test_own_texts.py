"""A sysop's own texts: which file a caller gets, colours, variables, and what `yawcctl check-texts` says of them."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yawc_poker.session.caller.own_texts import COLUMNS, MOST, file_names, lines, problems, read
from yawc_poker.sysop.__main__ import main
from yawc_poker.terminal.frame import Style
from yawc_poker.terminal.text import is_harmless


def test_a_caller_gets_their_language_first_and_colours_only_on_a_screen() -> None:
    assert file_names("motd", "de", draws=True) == ["motd.de.ans", "motd.de.txt", "motd.ans", "motd.txt"]
    assert file_names("motd", "nl", draws=False) == ["motd.nl.txt", "motd.txt"]


def test_colours_become_styles_and_go_on_into_the_next_line() -> None:
    found = "\x1b[31mred \x1b[0mplain\n\x1b[1;36mcyan\nstill\x1b[m"
    assert list(lines(found, {})) == [
        (("red ", Style.RED), ("plain", Style.PLAIN)),
        (("cyan", Style.CYAN),),
        (("still", Style.CYAN),),
    ]


def test_a_colour_of_any_number_ends_nobodys_call() -> None:
    assert list(lines(f"\x1b[{'9' * 5000};31mred", {})) == [(("red", Style.RED),)]


def test_bold_alone_is_white() -> None:
    assert list(lines("\x1b[1mloud", {})) == [(("loud", Style.WHITE),)]


def test_variables_are_filled_and_unknown_ones_stay() -> None:
    assert list(lines("{bbs}: {callers} here, {what}", {"bbs": "Oak", "callers": "3"})) == [
        (("Oak: 3 here, {what}", Style.PLAIN),)
    ]


def test_a_variable_brings_no_variable_and_no_colour() -> None:
    assert list(lines("{name}", {"name": "{bbs}\x1b[31m", "bbs": "Oak"})) == [(("{bbs}[31m", Style.PLAIN),)]


@given(st.binary(max_size=200))
def test_whatever_is_in_a_file_only_harmless_characters_are_shown(data: bytes) -> None:
    for text in (data.decode("cp437"), data.decode(errors="replace")):
        for line in lines(text, {"bbs": "Oak"}):
            assert all(is_harmless(piece) for piece, _ in line)
    assert all(isinstance(problem, str) for problem in problems("motd.ans", data))


def test_art_in_the_code_page_of_a_pc_is_read_and_what_its_program_wrote_behind_it_is_not(tmp_path: Path) -> None:
    file = tmp_path / "menu.ans"
    file.write_bytes(b"\xc9\xcd\xbb\r\n\x1b[32mOak\x1aSAUCE00 me")
    assert read(str(file)) == "╔═╗\n\x1b[32mOak"
    assert read(str(tmp_path / "none.txt")) is None


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("greetings.txt", b"", "no such text; there are greeting, motd, menu, conduct"),
        ("motd.fr2.txt", b"", "there is no language 'fr2'"),
        ("motd.txt", b"caf\xe9", "not UTF-8"),
        ("motd.txt", b"a" * (COLUMNS + 1), f"line 1: {COLUMNS + 1} characters"),
        ("motd.txt", b"one\n{nmae}", "line 2: no variable {nmae}"),
        ("motd.txt", b"\x1b[31mred", "line 1: colours want a file .ans"),
        ("motd.ans", b"\x1b[2J", "line 1: escape sequences that are no colours"),
        ("motd.txt", "漢".encode(), "line 1: characters that not every terminal can show"),
        ("motd.txt", b"a\n" * MOST, f"only the first {MOST} bytes"),
    ],
)
def test_what_will_not_be_shown_as_meant_is_told(name: str, data: bytes, problem: str) -> None:
    found = list(problems(name, data))
    assert any(one.startswith(problem) for one in found), found


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("motd.de.txt", "Grüße, {name}!".encode()),
        ("menu.ans", b"\x1b[1;33m\xc9\xcd{bbs}\r\n\x1aSAUCE\x00"),
        ("motd.txt", b""),
    ],
)
def test_a_good_text_has_no_problem(name: str, data: bytes) -> None:
    assert list(problems(name, data)) == []


def test_the_command_checks_all_texts_of_a_data_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "motd.txt").write_text("Hello {name}")
    assert main(["--data", str(tmp_path), "check-texts"]) == 0
    assert capsys.readouterr().out.startswith("motd.txt: good\n1 text in ")
    (tmp_path / "conduct.nl.txt").write_text("{rules}")
    assert main(["--data", str(tmp_path), "check-texts"]) == 1
    assert "conduct.nl.txt:\n  line 1: no variable {rules}" in capsys.readouterr().out
