// The line to the BBS: one WebSocket after another, with one byte of kind before each frame (protocol yawc.1).
//
// A line that breaks is called again, after a pause that doubles, with the token of the session, which goes on
// meanwhile. The token lies in sessionStorage, so each tab has its own; there is no cookie.

const PROTOCOL = "yawc.1";
const TOKEN = "yawc.session";
const FIRST_PAUSE = 0.5;
const LONGEST_PAUSE = 15;
const MOST_INPUT = 1000;
// Characters of one frame of input; the server takes 4 KiB, and a character takes 4 bytes at most.
const SILENCE = 20;
// Seconds after which a call that is not answered is given up.
const ENDINGS = { 1000: "ended", 1001: "closing", 1002: "broken", 1003: "broken", 1007: "broken", 1008: "refused" };
const TRY_AGAIN = 1013;
const MOST_UNANSWERED = 6;
// Calls in a row that a living session may leave unanswered; they take half a minute.
const TAKEN = 4000;
const UNKNOWN_SESSION = 4001;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// Return a frame: the kind, then the text.
export function frame(kind, text) {
  return encoder.encode(kind + text);
}

// Return text in pieces of at most `size` characters, none of which is cut in two.
export function pieces(text, size = MOST_INPUT) {
  const characters = Array.from(text);
  const cut = [];
  for (let at = 0; at < characters.length; at += size) {
    cut.push(characters.slice(at, at + size).join(""));
  }
  return cut;
}

// Return the pause in seconds before a call, by the number of calls that failed one after the other.
export function pause(failures) {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures);
}

function stored() {
  try {
    return sessionStorage.getItem(TOKEN);
  } catch {
    return null; // storage is forbidden: a broken line is a new session
  }
}

function store(token) {
  try {
    if (token === null) {
      sessionStorage.removeItem(TOKEN);
    } else {
      sessionStorage.setItem(TOKEN, token);
    }
  } catch {
    // as above
  }
}

export class Connection {
  // `heard` has a function for each kind of frame ("d": bytes; "l": text; any other: a value), `hello` returns what
  // the server is told of this terminal, `changed(state, seconds, reason)` is told of every change, `emptied()` empties
  // the terminal, because the server draws all of it next.
  constructor(url, { heard, hello, changed, emptied }) {
    this.url = url;
    this.heard = heard;
    this.hello = hello;
    this.changed = changed;
    this.emptied = emptied;
    this.socket = null;
    this.failures = 0;
    this.unanswered = 0;
    this.timer = 0;
    this.isLost = false;
    for (const event of ["online", "pageshow"]) {
      window.addEventListener(event, () => this.hurry());
    }
    document.addEventListener("visibilitychange", () => {
      if (document.hidden) {
        this.send("v", "\x00");
      } else if (this.isOpen) {
        this.emptied();
        this.send("v", "\x01");
      } else {
        this.hurry();
      }
    });
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  // Call, or call again.
  open() {
    clearTimeout(this.timer);
    this.isLost = false;
    this.changed("connecting");
    const socket = new WebSocket(this.url, PROTOCOL);
    const token = stored();
    let isAnswered = false;
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.timer = setTimeout(() => socket.close(), SILENCE * 1000);
    socket.addEventListener("open", () => {
      clearTimeout(this.timer);
      const hello = JSON.stringify(this.hello());
      socket.send(token === null ? frame("t", hello) : frame("s", `${token}\n${hello}`));
      if (document.hidden) {
        this.send("v", "\x00");
      }
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.socket !== socket || !(data instanceof ArrayBuffer)) {
        return;
      }
      if (!isAnswered) {
        isAnswered = true;
        this.failures = 0;
        this.unanswered = 0;
        this.emptied();
        this.changed("connected");
      }
      this.take(new Uint8Array(data));
    });
    socket.addEventListener("close", ({ code, reason }) => {
      if (this.socket === socket) {
        clearTimeout(this.timer);
        this.closed(code, reason);
      }
    });
  }

  take(bytes) {
    const kind = String.fromCharCode(bytes[0]);
    const rest = bytes.subarray(1);
    if (kind === "d") {
      this.heard.d(rest);
    } else if (kind === "r") {
      store(decoder.decode(rest));
    } else if (kind === "l") {
      this.heard.l(decoder.decode(rest));
    } else if (kind in this.heard) {
      this.heard[kind](JSON.parse(decoder.decode(rest)));
    }
  }

  closed(code, reason) {
    this.socket = null;
    this.unanswered += code === TRY_AGAIN ? 1 : 0;
    if (code === UNKNOWN_SESSION || this.unanswered === MOST_UNANSWERED) {
      store(null);
      this.unanswered = 0;
      this.changed("gone");
      this.open();
    } else if (code === TAKEN) {
      this.changed("taken");
    } else if (code in ENDINGS) {
      store(null);
      this.changed(ENDINGS[code], 0, reason);
    } else {
      this.wait();
    }
  }

  // Wait, then call again; the pause is not the same for all whose line broke at once.
  wait() {
    const seconds = pause(this.failures) * (0.75 + Math.random() / 2);
    this.failures += 1;
    this.isLost = true;
    this.changed("lost", Math.ceil(seconds));
    this.timer = setTimeout(() => this.open(), seconds * 1000);
  }

  // Call at once if a pause was on: the device is online again, or somebody looks at the page.
  hurry() {
    if (this.isLost && navigator.onLine) {
      this.open();
    }
  }

  // Send a frame if there is a line; return whether there was one.
  send(kind, text) {
    if (this.isOpen) {
      this.socket.send(frame(kind, text));
    }
    return this.isOpen;
  }

  // Send what was typed; return whether there was a line.
  type(text) {
    return pieces(text).every((piece) => this.send("d", piece));
  }

  // Tell the server the size of the terminal.
  resize(columns, rows) {
    if (this.isOpen) {
      const bytes = new DataView(new ArrayBuffer(5));
      bytes.setUint8(0, "w".charCodeAt(0));
      bytes.setUint16(1, columns);
      bytes.setUint16(3, rows);
      this.socket.send(bytes.buffer);
    }
  }
}
