"""Lines are offered to who needs them: by what a client says of itself, by a question, by the texts on the way in."""

import pytest

from tests.end_to_end.bbs import IAC, SB, SE, TTYPE, Bbs, TelnetCaller, connected

BOX = "═"
NEW_ENVIRON = 39
WILL_ENVIRON = bytes([IAC, 251, NEW_ENVIRON])


def names(*told: bytes) -> bytes:
    """Return the answers of a client that tells these terminal types, all in one breath."""
    return b"".join(bytes([IAC, SB, TTYPE, 0]) + name + bytes([IAC, SE]) for name in told)


def client(town: Bbs, told: bytes) -> TelnetCaller:
    """A caller whose program has said this before anything else."""
    line = connected(town.port, "127.0.0.1", told)
    return town.called(TelnetCaller(line, 80, 24, b""))


def test_a_client_for_muds_with_a_screen_reader_gets_lines_from_the_greeting_on(town: Bbs) -> None:
    caller = client(town, names(b"MUDLET", b"ANSI-TRUECOLOR", b"MTTS 365"))
    caller.register("Mira")
    assert BOX not in caller.transcript
    assert "/linear" in caller.transcript, "the greeting"
    assert "For a screen reader" not in caller.transcript, "they have lines"
    caller.press("S2")
    caller.see("Your terminal moves no cursor. Tables are told in lines.", "(y/n)")
    caller.send("y")
    caller.see("Turn: NO GAME", "[S] Start a game")
    assert b"\x1b" not in caller.raw


def test_one_that_moves_the_cursor_gets_them_as_well_but_may_have_a_screen(town: Bbs) -> None:
    caller = client(town, names(b"BLIGHTMUD", b"XTERM-256COLOR", b"MTTS 79")).register("Moritz")
    assert b"\x1b" not in caller.raw
    caller.line("/screen")
    caller.see("Tables are drawn on a screen.")
    caller.at_prompt().sit()
    caller.hang_up()
    again = client(town, names(b"BLIGHTMUD", b"XTERM-256COLOR", b"MTTS 79")).log_in("Moritz")
    again.sit()
    assert b"\x1b" in again.raw


def test_a_variable_says_so_too(town: Bbs) -> None:
    value = bytes([IAC, SB, NEW_ENVIRON, 0, 3]) + b"SCREEN_READER\x011" + bytes([IAC, SE])
    caller = client(town, names(b"XTERM") + WILL_ENVIRON + value).register("Milan")
    caller.press("S")
    caller.see("Tables are told in lines.")


@pytest.mark.parametrize(("key", "shown"), [("l", "Tables are told in lines."), ("S", "Tables are drawn on a screen.")])
def test_whose_program_does_not_name_its_terminal_is_asked_once(town: Bbs, key: str, shown: str) -> None:
    caller = client(town, b"")
    caller.see("Name:")
    caller.line(f"Nobody {key}")
    caller.see("(y/n)")
    caller.send("y")
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt).press("secret-1\r\n")
    caller.at("Tables in [L] lines or on a [S] screen? ")
    assert "For a screen reader" not in caller.transcript, "it is said once"
    caller.send(key)
    caller.see(shown)
    caller.at_prompt()
    caller.hang_up()
    again = client(town, b"")
    again.see("Name:")
    again.line(f"Nobody {key}")
    again.at("Password: ").press("secret-1\r\n")
    again.at_prompt()
    assert "Tables in" not in again.transcript


def test_who_has_a_screen_reads_of_lines_until_they_have_chosen(town: Bbs) -> None:
    caller = town.call().register("Mats")
    assert caller.transcript.count("/linear") == 2, "greeting and welcome"
    caller.press("S")
    caller.see("For a screen reader: /linear tells the tables in lines.")
    caller.at_prompt().line("/screen")
    caller.see("Tables are drawn on a screen.")
    caller.hang_up()
    again = town.call().log_in("Mats")
    assert again.transcript.count("/linear") == 1


@pytest.mark.parametrize(("columns", "has_banner"), [(80, True), (77, True), (76, False), (40, False)])
def test_the_banner_is_whole_or_not_there(town: Bbs, columns: int, has_banner: bool) -> None:
    caller = town.call(columns=columns).at("Name: ")
    assert (BOX in caller.transcript) == has_banner
    assert max(len(line.rstrip()) for line in caller.transcript.splitlines()) < columns
    assert "Testville" in caller.transcript
