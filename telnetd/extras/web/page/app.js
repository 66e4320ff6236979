// The page: puts its parts together. What each does is told in its own module.

import { ring } from "./bell.js";
import { answer, store, stored } from "./commitments.js";
import { Connection } from "./connection.js";
import { Drawing } from "./drawing.js";
import { Keys } from "./keys.js";
import { Log } from "./log.js";
import * as notices from "./notices.js";
import { onPreference, prefer, preferences } from "./preferences.js";
import { Screen } from "./screen.js";
import { SealDialog } from "./seal_dialog.js";
import { linked, Share } from "./share.js";
import { currentLanguage, speak, spoken, text } from "./texts.js";

const SIZES = [10, 32];
const STEP = 2;
const OVER = new Set(["ended", "closing", "refused", "taken", "broken"]);
// States in which the page does not call again by itself.

const find = (id) => document.getElementById(id);
const name = document.body.dataset.name;
const isTouched = window.matchMedia("(pointer: coarse)").matches;

const kept = stored();
let title = name;
let isTurn = false;
let state = { name: "connecting", seconds: 0, reason: "" };

// Send what was pressed, or say that it was not sent; return whether it was.
function press(typed) {
  const isSent = connection.type(typed);
  keys.say(isSent ? "" : "notConnected");
  return isSent;
}

// Return the address of the page, up to its last slash.
function base() {
  return new URL("./", location.href).href;
}

function showTitle() {
  find("place").textContent = title;
  document.title = isTurn ? `\u25cf ${text("yourTurn")} \u00b7 ${title}` : title;
}

function showState() {
  const said = text(state.name, { seconds: state.seconds });
  find("state").textContent = state.reason ? `${said} ${state.reason}` : said;
  find("state").dataset.state = state.name;
  find("again").hidden = !OVER.has(state.name);
}

const screen = new Screen({
  section: find("screen"),
  host: find("terminal"),
  narrow: find("narrow"),
  missing: find("missing"),
  typed: press,
  sent: (key) => keys.sent(key),
  sized: (columns, rows) => connection.resize(columns, rows),
  bell: () => preferences().sound && ring(),
  viewed: (view) => {
    document.body.dataset.view = view;
    keys.adapt();
  },
});
const log = new Log(find("log"));
const seal = new SealDialog(find("seal-dialog"), () => screen.text());
const share = new Share(find, () => keys.say("copied"));
const drawing = new Drawing(find);
const keys = new Keys({
  group: find("keys"),
  form: find("entry"),
  input: find("line"),
  user: find("user"),
  label: find("line-label"),
  hint: find("hint"),
  press,
  clicked: () => isTouched || screen.focus(),
});
const connection = new Connection(new URL("session", base()).href.replace(/^http/, "ws"), {
  heard: {
    d: (bytes) => screen.write(bytes),
    k: hearKeys,
    m: (message) => log.add(message),
    h: (messages) => log.begin(messages),
    b: (place) => {
      title = place.title || name;
      showTitle();
    },
    l: listen,
    n: (called) => notices.notify(title, called.text, document.querySelector("link[rel=icon]").href),
    a: (areas) => screen.touches(areas),
    q: (told) => share.show(told),
    g: (told) => drawing.show(told),
    c: commit,
  },
  hello: () => ({
    kind: "xterm-256color",
    language: currentLanguage(),
    columns: screen.columns,
    rows: screen.rows,
    heard: log.heard,
    address: base(),
    ...linked(location.hash),
  }),
  changed: hearState,
  emptied: () => screen.reset(),
});

function hearKeys(now) {
  keys.show(now);
  find("share").hidden = !keys.chats();
  ask(now.is_told ? "" : (now.asks ?? ""));
  screen.showsButtons(now.keys.length > 0);
  if (now.turn && !isTurn && preferences().sound) {
    ring();
  }
  isTurn = now.turn === true;
  document.body.classList.toggle("turn", isTurn);
  showTitle();
}

// Show what is asked to a screen reader, which speaks it at once; what stands there already is not spoken again.
function ask(asks) {
  if (find("asked").textContent !== asks) {
    find("asked").textContent = asks;
  }
}

// Commit to a text that this device draws, or reveal it, as the table asks for it.
function commit(told) {
  seal.hear(told.seal);
  const said = answer(told, kept, (bytes) => crypto.getRandomValues(bytes));
  if (said !== null) {
    store(kept);
    connection.send(said.kind, said.text);
  }
}

function hearState(called, seconds = 0, reason = "") {
  if (called === "gone") {
    log.add({ text: text("gone") });
  }
  state = { name: called, seconds, reason };
  showState();
  if (called === "connected") {
    keys.say("");
  }
  if (OVER.has(called)) {
    hearKeys({ mode: "menu", keys: [], turn: false });
    screen.touches([]);
  }
}

function listen(code) {
  speak(spoken([code]));
  keys.draw();
  screen.name();
  showState();
  showTitle();
  showPreferences();
}

function showPreferences() {
  const { theme, sound, whole } = preferences();
  if (theme === "auto") {
    delete document.documentElement.dataset.theme;
  } else {
    document.documentElement.dataset.theme = theme;
  }
  find("theme").textContent = text(`theme${theme[0].toUpperCase()}${theme.slice(1)}`);
  find("sound").setAttribute("aria-pressed", String(sound));
  find("notices").setAttribute("aria-pressed", String(notices.areOn()));
  find("notices").hidden = !notices.exist();
  find("whole").setAttribute("aria-pressed", String(whole));
}

function resizeText(step) {
  prefer({ size: Math.min(SIZES[1], Math.max(SIZES[0], Math.round(screen.size) + step)) });
}

const CLICKS = {
  again: () => connection.open(),
  share: () => press("./link\r"),
  smaller: () => resizeText(-STEP),
  larger: () => resizeText(STEP),
  fitting: () => prefer({ size: 0 }),
  theme: () => prefer({ theme: { auto: "light", light: "dark", dark: "auto" }[preferences().theme] }),
  notices: async () => {
    if (!(await notices.toggle()) && notices.exist() && Notification.permission === "denied") {
      keys.say("noticesForbidden");
    }
  },
  sound: () => prefer({ sound: !preferences().sound }),
  whole: () => prefer({ whole: !preferences().whole }),
  "as-text": () => {
    find("text").textContent = screen.text();
    find("text-dialog").showModal();
  },
  "text-close": () => find("text-dialog").close(),
  seal: () => seal.open(),
};
for (const [id, act] of Object.entries(CLICKS)) {
  find(id).addEventListener("click", act);
}

// What a button stands for on the table is outlined there.
for (const [event, isOn] of [["pointerover", true], ["focusin", true], ["pointerleave", false], ["focusout", false]]) {
  find("keys").addEventListener(event, ({ target }) => {
    screen.touch.outline(isOn ? target.closest("button")?.dataset.key : undefined);
  });
}

// A key that is pressed anywhere on the page is meant for the BBS, except where text is typed or a button is chosen.
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const isTyping = target.closest("input, textarea, dialog, summary, .xterm") !== null;
  const isChoosing = target.closest("button, [tabindex]:not(#keys)") !== null && (key === "Enter" || key === " ");
  if (isTyping || isChoosing || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) {
    return;
  }
  const typed = { Enter: "\r", Escape: "\x1b", Backspace: "\x7f" }[key] ?? (Array.from(key).length === 1 ? key : "");
  if (typed !== "" && press(typed)) {
    event.preventDefault();
  }
});

// The settings close when something else is chosen.
document.addEventListener("click", ({ target }) => {
  if (!find("settings").contains(target)) {
    find("settings").open = false;
  }
});

onPreference(() => {
  showPreferences();
  screen.restyle();
});
speak(spoken(navigator.languages));
showPreferences();
keys.draw();
screen.restyle();
await screen.open();
connection.open();
if (!isTouched) {
  screen.focus(); // typing works at once
}
