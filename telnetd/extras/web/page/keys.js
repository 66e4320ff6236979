// The keys that are of use now, as buttons, and the line for text. Knows no game: the server tells which keys there are.

import { text } from "./texts.js";

const NAMED = { ENTER: "\r", ESC: "\x1b" };
const NAMES = { "\r": "ENTER", "\x1b": "ESC", " ": "SPACE" };
const SHORTCUTS = { ENTER: "Enter", ESC: "Escape", SPACE: "Space" };
// In the words of `aria-keyshortcuts`.
const CHAT = ".";
const COMMAND = "/";
const MOST_LINES = 4;
// Of chat that are sent at once.

// Return what is sent for a key as the server names it; a word answers a question.
function code(key) {
  return NAMED[key] ?? (key.length > 1 ? `${key}\r` : key);
}

// Return what stands on a button for a key.
function cap(key) {
  return NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key);
}

// Return a text in lines of at most `room` characters, broken at blanks where there are some.
export function broken(text, room) {
  const found = [];
  let rest = Array.from(text.trim());
  while (rest.length > room) {
    const blank = rest.lastIndexOf(" ", room);
    const end = blank > 0 ? blank : room;
    found.push(rest.slice(0, end).join("").trim());
    rest = Array.from(rest.slice(end).join("").trim());
  }
  return [...found, rest.join("")];
}

// Return what to send for a line of text: {send} with what, or {refuse} with the name of the reason. More chat than one
// line holds is sent as several.
export function answer(line, { mode, keys, room }) {
  if (mode === "line") {
    return { send: `${line}\r` };
  }
  const has = (key) => keys.some((one) => one.key === key);
  if (line.startsWith(COMMAND)) {
    return { send: has(CHAT) ? `${CHAT}${line}\r` : `${line}\r` };
  }
  if (has(CHAT) && line.trim() !== "") {
    const lines = broken(line, room || line.length);
    return lines.length > MOST_LINES ? { refuse: "tooLong" } : { send: lines.map((one) => `${CHAT}${one}\r`).join("") };
  }
  return Array.from(line).length <= 1 ? { send: line === "" ? "\r" : line } : { refuse: "notNow" };
}

// Return a part of a button's face, to be seen, to be heard, or both.
function part(tag, said, { isForEyes = false, isForEars = false }) {
  const made = document.createElement(tag);
  made.textContent = said;
  made.classList.toggle("unseen", isForEars);
  if (isForEyes) {
    made.setAttribute("aria-hidden", "true");
  }
  return made;
}

export class Keys {
  // `press(text)` sends, or says that it cannot; what it returns tells whether it did. `clicked()` is told of a button that was
  // clicked on: what is typed next is not meant for it.
  // `user` is a field that nobody sees: a browser's store of passwords looks there for the name that was sent.
  constructor({ group, form, input, user, label, hint, press, clicked }) {
    this.group = group;
    this.input = input;
    this.user = user;
    this.label = label;
    this.hint = hint;
    this.press = press;
    this.now = { mode: "menu", keys: [], turn: false, asks: "" };
    group.addEventListener("click", ({ target, detail }) => {
      const button = target.closest("button");
      if (button === null) {
        return;
      }
      this.push(button.dataset.code);
      if (detail > 0) {
        clicked(); // by a finger or a mouse; by the keyboard the focus stays
      }
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !event.isComposing) {
        this.escape();
      }
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  // Return what is sent for a key: where a line is asked for, an answer to it; of a number, only digits are one.
  sent(key) {
    const { mode, digits } = this.now;
    const isAnswer = mode === "line" && NAMED[key] === undefined && (!digits || /^\d+$/.test(key));
    return isAnswer ? `${key}\r` : code(key);
  }

  // Show the keys that the server told.
  show(now) {
    const wasHidden = this.now.hidden === true;
    this.now = { hidden: false, fill: "", asks: "", digits: false, ...now };
    if (wasHidden !== (this.now.hidden === true)) {
      this.input.value = ""; // before the field is one for a password, or none any more: a browser may fill it then
    }
    this.draw();
  }

  // Draw what is known: the buttons, and what the line is for. A button that stays keeps the focus; from one that goes
  // it passes to the group, so that whoever goes by the keyboard is still there.
  draw() {
    const { mode, hidden, fill, asks } = this.now;
    const wanted = this.wanted();
    const there = new Map(Array.from(this.group.children, (button) => [button.dataset.code, button]));
    const buttons = wanted.map((key) => this.button(there.get(this.sent(key.key)), key));
    const had = document.activeElement;
    const isHere = this.group.contains(had);
    for (const old of Array.from(this.group.children)) {
      if (!buttons.includes(old)) {
        old.remove();
      }
    }
    buttons.forEach((button, at) => {
      if (this.group.children[at] !== button) {
        this.group.insertBefore(button, this.group.children[at] ?? null);
      }
    });
    if (isHere) {
      (buttons.includes(had) ? had : this.group).focus();
    }
    if (!(isHere && buttons.includes(had)) && !wanted.every(({ key }) => there.has(this.sent(key)))) {
      this.group.scrollTop = 0; // other keys: the first ones are seen
    }
    this.input.type = hidden ? "password" : "text";
    this.input.inputMode = this.now.digits ? "numeric" : "text";
    this.input.autocomplete = fill || "off";
    const asked = mode === "line" ? asks.split("\n").pop() : "";
    this.label.textContent = asked || text(hidden ? "secret" : this.purpose());
  }

  // Return the name of what the line is for, where no question says it.
  purpose() {
    return this.now.mode === "line" ? "answer" : this.chats() ? "chat" : "command";
  }

  chats() {
    return this.now.keys.some(({ key }) => key === CHAT);
  }

  // Return the keys to show: while a line is asked for, ENTER and ESC as well, which a phone's keyboard may lack.
  wanted() {
    const { mode, keys } = this.now;
    const told = new Set(keys.map(({ key }) => this.sent(key)));
    const more = mode === "line" ? [{ key: "ENTER", label: text("enter") }, { key: "ESC", label: text("back") }] : [];
    return [...keys, ...more.filter(({ key }) => !told.has(this.sent(key)))];
  }

  // Return the button of a key. It is called by what it does, in words; the key itself is its shortcut.
  button(old, { key, label = "", name = "" }) {
    const button = old ?? document.createElement("button");
    button.type = "button";
    button.dataset.code = this.sent(key);
    button.dataset.key = key;
    const shown = cap(key);
    const isWord = this.sent(key).length > 1; // which needs no key: its label says all
    const says = [shown, label, name].join("\n");
    if (button.dataset.says !== says) {
      button.dataset.says = says;
      const face = part("kbd", shown, { isForEyes: label !== "" });
      const shownLabel = part("span", label, { isForEyes: name !== "" });
      button.setAttribute("aria-keyshortcuts", SHORTCUTS[shown] ?? shown);
      const heard = part("span", name, { isForEars: true });
      button.replaceChildren(...(isWord ? [] : [face]), ...(label ? [shownLabel] : []), ...(name ? [heard] : []));
      button.classList.toggle("word", isWord);
    }
    return button;
  }

  // Send a key; if text stands in the line, it is what the question is answered by.
  push(sent) {
    if (sent === "\r" && this.now.mode === "line" && this.input.value !== "") {
      this.submit();
    } else {
      this.press(sent);
    }
  }

  // Lead back out of the line: what stands in it goes first, and where a line is asked for, so does the question.
  escape() {
    const isEmpty = this.input.value === "";
    this.input.value = "";
    if (isEmpty || this.now.mode === "line") {
      this.push(NAMED.ESC);
    }
  }

  // Send the line.
  submit() {
    const { send, refuse } = answer(this.input.value, this.now);
    if (refuse !== undefined) {
      this.say(refuse);
    } else if (this.press(send)) {
      if (this.now.fill === "username") {
        this.user.value = this.input.value;
      }
      this.input.value = "";
    }
  }

  say(reason) {
    this.hint.textContent = reason === "" ? "" : text(reason);
  }
}
