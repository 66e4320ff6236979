"""`R` at the sysop's desk: reports that wait, read one by one and answered by letter."""

from typing import Final

from yawc_poker.extras.reports.rows import Report, close, open_reports
from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.menu import AddedLine, MenuLine
from yawc_poker.session.caller.notices import day
from yawc_poker.session.caller.prompts import ask_key, ask_number
from yawc_poker.session.menus.mail import write_to
from yawc_poker.terminal.frame import Style
from yawc_poker.words import mark

SHOWN: Final = 12


def reports(caller: Caller) -> None:
    """List the reports that wait, the oldest first, until the sysop goes back. Raise `StoreError`."""
    words, say = caller.words, caller.console.say
    while found := open_reports(caller.instance.accounts.store, SHOWN):
        say()
        for number, one in enumerate(found, 1):
            say(f"  {number:>2}  {day(one.at)}  {one.name:<20}  {one.text.partition(chr(10))[0][:28]}", means=None)
        question = words("Number of the report (ENTER: back) ")
        chosen = ask_number(caller, question, len(found), words("There is no such line."))
        if chosen is None:
            return
        _read(caller, found[chosen - 1])
    say(words("No report waits."))


def _read(caller: Caller, report: Report) -> None:
    """Show a report, and let the sysop answer it, or close it without an answer."""
    words, say = caller.words, caller.console.say
    said, *lines = report.text.split("\n")
    say()
    say(words("{name}, {when}, {place}:", name=report.name, when=day(report.at), place=report.place), Style.BOLD)
    say(f"  {said}", Style.CYAN, means=None)
    if lines:
        say(words("The last lines there:"))
    for line in lines:
        say(f"    {line}", means=None)
    key = ask_key(caller, words("[A] answer by letter, [C] close without an answer (ENTER: back) ")).upper()
    caller.console.finish()
    if key == "C" or (key == "A" and write_to(caller, report.name)):
        close(caller.instance.accounts.store, report.id, caller.user.name)


ANNOUNCED = (AddedLine("the sysop's desk", MenuLine("R", mark("Reports of callers"), reports), before="A"),)
