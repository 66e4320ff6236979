"""Languages and character sets: chosen, remembered, and seen by each caller in his own way at one table."""

import re

import pytest

from tests.end_to_end.bbs import Bbs, Caller

ANSWER = {"en": "(y/n)", "de": "(j/n)"}
UTF8_BOXES = "─┌│└╔".encode()


def command(caller: Caller, word: str, answer: str) -> Caller:
    """Type a command such as /de at the name prompt."""
    caller.at("Name: ").press(f"{word}\r\n")
    caller.see(answer)
    return caller.at("Name: ")


def register_german(caller: Caller, name: str, password: str = "geheim-1") -> Caller:
    caller.name = name
    command(caller, "/de", "Gib deinen Namen ein.").line(name)
    caller.see(f"keinen User {name}", "(j/n)")
    caller.send("j")
    for prompt in ("Passwort: ", "Passwort wiederholen: "):
        caller.at(prompt)
        caller.line(password)
    return caller.at_prompt()


def log_in_bytes(caller: Caller, name: bytes, password: bytes) -> Caller:
    caller.at("Name: ").send(name + b"\r\n")
    caller.wait(lambda: caller.prompt in {"Password: ", "Passwort: "}, "the password prompt")
    caller.send(password + b"\r\n")
    return caller.at_prompt()


def sit_german(caller: Caller) -> None:
    caller.send("S2")
    caller.see("(j/n)")
    caller.send("j")
    caller.see("Master:", "Topf:")


# --- languages --------------------------------------------------------------------------------------------------------


def test_german_is_chosen_at_the_name_prompt_and_remembered(town: Bbs) -> None:
    caller = register_german(town.call(), "Gerda")
    assert "Willkommen in Testville, Gerda!" in caller.text
    assert "Du besitzt 100 CUBES." in caller.text
    caller.press("qy")
    caller.see("Auf Wiedersehen")
    caller.ended()
    again = log_in_bytes(town.call(), b"gerda", b"geheim-1")
    assert "Willkommen in Testville, Gerda!" in again.text
    assert "Letzter Login: " in again.text
    assert "/de Deutsch" in again.transcript


def test_english_can_be_chosen_again_at_the_name_prompt(town: Bbs) -> None:
    caller = command(town.call(), "/DE", "/en English")
    command(caller, "/en", "/de Deutsch")
    caller.register("Gordon").see("Welcome to Testville, Gordon!")


def test_a_language_chosen_at_the_name_prompt_goes_before_the_remembered_one_and_replaces_it(town: Bbs) -> None:
    town.call().register("Gisbert").send("qy")
    caller = command(town.call(), "/de", "/en English")
    for again in (caller, town.call()):
        log_in_bytes(again, b"Gisbert", b"secret-1").see("Willkommen in Testville, Gisbert!")


def test_the_language_key_changes_at_once_and_for_ever(town: Bbs) -> None:
    caller = town.call().register("Grete")
    caller.press("l")
    caller.see("[D] Deutsch")
    caller.press("d")
    caller.see("Deine Wahl")
    caller.press("\r")
    caller.at_prompt()
    caller.press("w")
    caller.see("1 User online.")
    caller.send("qy")
    caller.ended()
    again = log_in_bytes(town.call(), b"Grete", b"secret-1")
    assert "Willkommen in Testville" in again.text
    again.press("le\r")
    again.see("now:", "Your choice")
    again.at_prompt()
    again.press("w")
    again.see("1 user online.")


@pytest.mark.parametrize("language", ["en", "de"])
def test_y_and_j_both_mean_yes(town: Bbs, language: str) -> None:
    caller = command(town.call(), f"/{language}", "YAWC")
    for number, key in enumerate("yYjJ"):
        caller.at("Name: ").press(f"Yes {language} {number}\r\n")
        caller.see(ANSWER[language])
        caller.send(key)
        caller.wait(lambda: caller.prompt in {"Password: ", "Passwort: "}, "the password prompt")
        caller.send("\x1b")
    for key in "nN\r":
        caller.at("Name: ").press("Nobody Here\r\n")
        caller.see(ANSWER[language])
        caller.send(key)
        caller.at("Name: ")


def test_german_and_english_players_meet_at_one_table(town: Bbs) -> None:
    hans, emma = register_german(town.call(), "Hans"), town.call().register("Emma")
    sit_german(hans)
    for literal in ("KEIN SPIEL", "[.] Chat-Nachricht senden", "[X] Spieltisch verlassen", "[S] Spiel eröffnen"):
        assert literal in hans.right(1, 11), hans.text
    emma.sit()
    hans.hear("Emma setzt sich an den Tisch.")
    emma.hear("Emma sits down at the table.")
    assert [emma.field(label) for label in ("Master:", "Turn:", "Pot:", "Round:")] == ["Hans", "NO GAME", "NO GAME", ""]
    assert "[.] Send a chat message" in emma.right(7, 11)
    hans.send("s")
    hans.until("Am Zug:", "Hans")
    hans.until("Topf:", "20 CUBES")
    hans.until("Runde:", "1")
    assert "[B] Einsatz" in hans.right(7, 11)
    assert "[P] Passen" in hans.right(7, 11)
    for label, value in (("Turn:", "Hans"), ("Pot:", "20 CUBES"), ("Round:", "1")):
        emma.until(label, value)
    hans.send("b\r")
    emma.bet()
    hans.until("Runde:", "KARTEN TAUSCHEN")
    emma.until("Round:", "CHANGE CARDS")
    for literal in ("[1] - [5] Karten austauschen", "[D] Erledigt, weiter"):
        hans.see(literal)
    hans.send("d")
    emma.see("[1] - [5] Change cards", "[D] Done, go on")
    emma.send("d")
    hans.see("[H] Karten sehen!")
    hans.send("h\r")
    emma.see("[H] See the cards!")
    emma.bet()
    hans.until("Runde:", "SHOWDOWN")
    hans.see("[R] Karten zeigen")
    hans.send("r")
    emma.see("[R] Show my cards")
    emma.send("r")
    hans.hear("gewinnt")
    emma.hear("wins")
    hans.until("Am Zug:", "KEIN SPIEL")
    emma.until("Turn:", "NO GAME")


def test_german_help_is_german(town: Bbs) -> None:
    caller = register_german(town.call(), "Hilde")
    caller.press("h")
    caller.at("Hilfe> ")
    assert re.search(r"\[6\] \w+", caller.text)
    caller.press("4")
    caller.wait(lambda: caller.prompt.startswith(("-- weiter", "Hilfe> ")), "the page")
    assert "Full House" in caller.text or "Karten" in caller.text


def test_dutch_from_the_greeting_to_the_table(town: Bbs) -> None:
    caller = town.call()
    caller.name = "Joost"
    caller.at("Name: ").line("/nl")
    caller.see("Typ je naam.", "/en English")
    caller.at("Naam: ").line("Joost")
    caller.see("Er is nog geen gebruiker Joost. Deze naam registreren? (j/n)")
    caller.send("j")
    caller.at("Wachtwoord: ").line("geheim-1")
    caller.at("Herhaal het wachtwoord: ").line("geheim-1")
    caller.at_prompt()
    assert "Welkom bij Testville, Joost!" in caller.text
    caller.press("h")
    caller.at("Help> ")
    assert "[1] De BBS: toetsen, CUBES en X-" in caller.text
    caller.press("1")
    caller.see("Bij de hoofdprompt is één toets genoeg")
    caller.send("q")
    caller.at("Help> ").press("q")
    caller.at_prompt().send("S")
    caller.see("+ klaveren, * schoppen, # harten, - ruiten", "[G] Gespeelde spellen")
    caller.send("2")
    caller.see("Gaan zitten en wachten tot er anderen bij komen? (j/n)")
    caller.send("j")
    caller.see("Master:", "Pot:", "GEEN SPEL", "[S] Spel starten", "Joost gaat aan tafel zitten.")
    caller.send("x")
    caller.at_prompt().press("lu")
    caller.see("[N] Nederlands", "nu: utf-8")
    caller.send("qqj")
    caller.see("Tot ziens")
    caller.ended()
    again = town.call()
    again.at("Name: ").line("Joost")
    again.at("Password: ").line("geheim-1")
    again.at_prompt()
    assert "Welkom bij Testville, Joost!" in again.text
    again.press("le")
    again.see("now: English")
    again.send("n")
    again.see("nu: Nederlands")


# --- character sets ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [b"SYNCTERM", b"ANSI-BBS", b"ansi"])
def test_a_bbs_terminal_gets_cp437(town: Bbs, kind: bytes) -> None:
    caller = town.call(kind=kind).register(f"Dos {kind.decode().lower()}")
    assert "╔═══ YAWC Poker ═══".encode("cp437") in caller.raw
    start = len(caller.raw)
    caller.sit()
    assert "────".encode("cp437") in caller.raw[start:]
    assert "┌────┐".encode("cp437") in caller.raw[start:]
    assert not set(re.findall("[─┌│└╔═]", caller.raw.decode("utf-8", "replace")))


def test_an_xterm_gets_utf8(town: Bbs) -> None:
    caller = town.call().register("Modern")
    caller.sit()
    assert "┌────┐".encode() in caller.raw
    assert "┌────┐".encode("cp437") not in caller.raw


def test_ascii_is_chosen_at_the_name_prompt(town: Bbs) -> None:
    caller = town.call()
    caller.at("Name: ")
    start = len(caller.raw)
    command(caller, "/ascii", "Type your name.")
    caller.register("Plain")
    caller.sit()
    caller.see("[S] Start a game", "+----+")
    assert caller.raw[start:].isascii()


def test_a_charset_is_chosen_by_key_and_remembered(town: Bbs) -> None:
    caller = town.call().register("Chooser")
    caller.press("l")
    caller.see("now: utf-8", "┌──┐ ═╬═ äöüß")
    start = len(caller.raw)
    caller.press("c")
    caller.see("now: cp437")
    assert "┌──┐ ═╬═ aouß AOU".encode("cp437") in caller.raw[start:]  # to an xterm those bytes may be controls
    caller.send("\r")
    caller.at_prompt()
    caller.send("qy")
    caller.ended()
    again = town.call().log_in("Chooser")
    start = len(again.raw)
    again.sit()
    assert "┌────┐".encode("cp437") in again.raw[start:]
    again.send("x")
    again.at_prompt()
    again.press("lu\r")
    again.see("now: utf-8")


def test_umlauts_in_a_name_meet_one_account_from_any_terminal(town: Bbs) -> None:
    caller = town.call()
    caller.at("Name: ").line("Jörg Äß")
    caller.see("User Jörg Äß" if "User" in caller.text else "Jörg Äß", "(y/n)")
    caller.send("y")
    for prompt in ("Password: ", "Repeat the password: "):
        caller.at(prompt)
        caller.line("schönes-1")
    caller.at_prompt().send("qy")
    caller.ended()
    upper_utf8, decomposed = "JÖRG ÄSS".encode(), "Jo\u0308rg A\u0308ß".encode()
    for kind, name, password in (
        (b"SYNCTERM", "Jörg Äß".encode("cp437"), "schönes-1".encode("cp437")),
        (b"ANSI-BBS", "jöRG äß".encode("cp437"), "schönes-1".encode("cp437")),
        (b"XTERM-256COLOR", upper_utf8, "schönes-1".encode()),
        (b"XTERM-256COLOR", decomposed, "scho\u0308nes-1".encode()),
    ):
        again = log_in_bytes(town.call(kind=kind), name, password)
        shown = "Jörg Äß".encode("cp437" if kind != b"XTERM-256COLOR" else "utf-8")
        assert b"Testville, " + shown + b"!" in again.raw


def test_german_without_umlauts_writes_ae_oe_ue(town: Bbs) -> None:
    caller = town.call()
    caller.at("Name: ").line("/ascii")
    caller.at("Name: ").line("/de")
    caller.at("Name: ").line("Umlautlos")
    caller.see("(j/n)")
    caller.send("j")
    caller.see("Waehle ein Passwort")
    caller.at("Passwort: ").line("secret-1")
    caller.at("Passwort wiederholen: ").line("secret-1")
    caller.at_prompt()
    caller.press("w")
    caller.see("Untaetig")
    caller.press("S2")
    caller.see("(j/n)")
    caller.send("j")
    caller.see("[S] Spiel eroeffnen")
    caller.press("x")
    caller.at_prompt()
