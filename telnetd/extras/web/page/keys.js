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
const SOON = 250;
// Milliseconds in which a button that has just come is met only by a finger that was on its way to something else.
const DENSEST = 3;
// Steps by which keys become smaller (style.css).

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

// Return the places of buttons by their codes, with null where a place is free; `before` are the places so far. What is
// there keeps its place, and what is new takes one that is free; where a new step of the game begins, none is left free.
export function places(before, codes, isNewStep) {
  const found = before.slice(0, isNewStep ? codes.length : before.length);
  found.forEach((code, at) => {
    found[at] = codes.includes(code) ? code : null;
  });
  for (const code of codes.filter((one) => !found.includes(one))) {
    const free = found.indexOf(null);
    found[free < 0 ? found.length : free] = code;
  }
  while (found.at(-1) === null) {
    found.pop();
  }
  return found;
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

// Return what the room of the keys follows from.
function roomOfKeys() {
  const { shape, view } = document.body.dataset;
  const { matches } = window.matchMedia("(pointer: coarse)");
  return [shape, view, matches, innerWidth, innerHeight, document.documentElement.style.fontSize].join(" ");
}

export class Keys {
  // `press(text)` sends, or says that it cannot; what it returns tells whether it did. `clicked()` is told of a button that was
  // clicked on: what is typed next is not meant for it.
  // `user` is a field that nobody sees: a browser's store of passwords looks there for the name that was sent.
  constructor({ group, form, input, user, label, hint, press, clicked }) {
    this.group = group;
    [this.own, this.lasting] = group.children; // of what is asked now, and of what can be done at any time at a table
    [this.words, this.cards] = this.own.children;
    this.input = input;
    this.user = user;
    this.label = label;
    this.hint = hint;
    this.press = press;
    this.now = { mode: "menu", keys: [], turn: false, asks: "" };
    this.step = "";
    this.places = new Map([[this.words, []], [this.cards, []]]);
    this.room = "";
    new ResizeObserver(() => this.adapt()).observe(this.own);
    group.addEventListener("click", ({ target, detail, timeStamp }) => {
      const button = target.closest("button");
      if (button === null || (detail > 0 && timeStamp < Number(button.dataset.since) + SOON)) {
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

  // Draw what is known: the buttons, and what the line is for. A button that stays keeps its place and the focus; from
  // one that goes the focus passes to the group, so that whoever goes by the keyboard is still there.
  draw() {
    const { mode, hidden, fill, asks } = this.now;
    const had = document.activeElement;
    const isHere = this.group.contains(had);
    const wanted = this.wanted();
    const own = wanted.filter(({ lasts }) => !lasts);
    const lasting = wanted.filter(({ lasts }) => lasts);
    const isNewStep = this.begins(lasting.length > 0);
    const isNew = [[this.words, own.filter(({ is_card }) => !is_card)], [this.cards, own.filter(({ is_card }) => is_card)]]
      .map(([row, keys]) => this.fill(row, keys, this.arrange(row, keys, isNewStep)))
      .includes(true);
    this.fill(this.lasting, lasting, lasting.map((key) => this.sent(key.key)));
    this.group.classList.toggle("alone", lasting.length === 0);
    this.fit();
    if (isHere) {
      (this.group.contains(had) ? had : this.group).focus();
    }
    if (isNew && !(isHere && this.group.contains(had))) {
      this.own.scrollTop = 0; // other keys: the first ones are seen
    }
    this.input.type = hidden ? "password" : "text";
    this.input.inputMode = this.now.digits ? "numeric" : "text";
    this.input.autocomplete = fill || "off";
    const asked = mode === "line" ? asks.split("\n").pop() : "";
    this.label.textContent = this.input.placeholder = asked || text(hidden ? "secret" : this.purpose());
  }

  // Make the keys as small as they must be for all of them to be in sight. At a table they do not grow again while their
  // room is the same: a thumb knows its way.
  fit() {
    const { dataset } = document.body;
    const room = roomOfKeys();
    dataset.dense = this.step !== "" && room === this.room ? dataset.dense : 0;
    this.room = room;
    while (dataset.dense < DENSEST && this.own.scrollHeight > this.own.clientHeight) {
      dataset.dense = Number(dataset.dense) + 1;
    }
  }

  // Fit the keys into another room, if it is another one or has less for them than before.
  adapt() {
    if (roomOfKeys() !== this.room || this.own.scrollHeight > this.own.clientHeight) {
      this.fit();
    }
  }

  // Return whether a step of the game begins, or a menu, which stands in its own order; at a table a thumb knows its way.
  begins(isTable) {
    const { mode, turn } = this.now;
    const [before, step] = [this.step, isTable ? `${mode} ${turn}` : ""];
    if (before === "" || step === "") {
      this.places.forEach((_, row) => this.places.set(row, []));
    }
    this.step = step;
    return step !== before;
  }

  // Choose the places of keys in a row, and return their codes. Cards stand in the order in which they lie on the table.
  arrange(row, keys, isNewStep) {
    const codes = keys.map(({ key }) => this.sent(key));
    const before = this.places.get(row);
    const isDealt = row === this.cards && (isNewStep || codes.some((code) => !before.includes(code)));
    this.places.set(row, places(isDealt ? [] : before, codes, isNewStep));
    return this.places.get(row);
  }

  // Put the buttons of keys into a row, each at its place; return whether there is one that was not there.
  fill(row, keys, codes) {
    const there = new Map(Array.from(row.children, (one) => [one.dataset.code, one]));
    const found = new Map(keys.map((key) => [this.sent(key.key), key]));
    const shown = codes.map((code, at) => {
      const old = row.children[at];
      const free = old?.dataset.code === undefined ? old : undefined;
      return code === null ? (free ?? document.createElement("i")) : this.button(there.get(code), found.get(code));
    });
    shown.forEach((one, at) => {
      const old = row.children[at];
      if (old !== one) {
        one.dataset.since = performance.now();
        if (old === undefined || shown.includes(old)) {
          row.insertBefore(one, old ?? null);
        } else {
          old.replaceWith(one);
        }
      }
    });
    while (row.childElementCount > shown.length) {
      row.lastElementChild.remove();
    }
    return codes.some((code) => code !== null && !there.has(code));
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
