"""`X`: an X-message to somebody who is online, or a letter to a user who is not."""

from yawc_poker.session.caller.caller import Caller
from yawc_poker.session.caller.prompts import ask_name, ask_text, ask_yes
from yawc_poker.session.meeting.letters import write_to
from yawc_poker.terminal.frame import Style

MESSAGE_LIMIT = 400


def x_message(caller: Caller) -> None:
    """`X`: write to somebody who is online."""
    words, say = caller.words, caller.console.say
    if refusal := caller.bulletin.silenced(words):
        say(refusal, Style.ALERT)
        return
    name = ask_name(caller, words("To: "), 20)
    if not name:
        return
    person = caller.instance.directory.named(name)
    if person is None:
        _not_online(caller, name)
        return
    if person.is_house:
        say(words("{name} is a house player and cannot read messages.", name=person.name), Style.YELLOW)
        return
    if person.is_guest:
        say(words("{name} is a guest and cannot read messages.", name=person.name), Style.YELLOW)
        return
    if person.at_table:
        say(words("{name} is playing at the moment and may answer late.", name=person.name), Style.YELLOW)
    elif person.looks_on:
        say(words("{name} looks on at a table and may answer late.", name=person.name), Style.YELLOW)
    else:
        caller.mail.notice(caller.user, person, "writing", words)
    text = ask_text(caller, words("Message: "), MESSAGE_LIMIT)
    if text:
        caller.mail.send(caller.user, person, text, words)


def _not_online(caller: Caller, name: str) -> None:
    """Tell that nobody of this name is online; a user may be left a letter."""
    words, say = caller.words, caller.console.say
    user = caller.instance.accounts.find(name)
    if user is None or user.closed is not None:
        say(words("Nobody called {name} is online.", name=name), Style.YELLOW)
    elif ask_yes(caller, words("{name} is not online. Leave a letter? (y/n) ", name=user.name)):
        write_to(caller, user.name)
