// The terminal: xterm.js where there is room for 80 columns, else the narrow view of the same terminal.
//
// xterm.js is no part of the source; it is put into vendor/ when the program is installed. Without it nothing is drawn,
// and the rest of the page works.
//
// The page's shape follows from its window alone, so that nothing which happens in it moves anything else. A page has a
// log, so its terminal is 80 columns by 24 rows, with the largest letters that fit; it has more of both only if a
// reader has chosen smaller ones.

import { Narrow } from "./narrow.js";
import { dress, theme } from "./palette.js";
import { preferences, shownTheme } from "./preferences.js";
import { allowStyles } from "./sheets.js";
import { text } from "./texts.js";
import { Touch } from "./touch.js";

const COLUMNS = 80;
const ROWS = 24;
const WIDE = 120;
const WIDEST = 132;
const HIGH = 30;
const HIGHEST = 60;
// From WIDE columns or HIGH rows on the games show more; what lies between is of no use.
const USUAL_SIZE = 18;
// Pixels of a letter beside which the rest of the page has its usual size.
const LARGEST_SIZE = 40;
// Pixels of a letter that no more room makes larger.
const SMALLEST_SIZE = 11;
// From here on letters are of whole pixels.
const LEAST_SIZE = 4;
const READING_SIZE = 15;
// Pixels of a letter of text in the narrow view.
const READABLE_SIZE = 12;
// Pixels of a letter of a table in the narrow view, at least.
const TABLE_ROWS = 18;
// Rows of a table in the narrow view, most of the time.
const LEADING = 1.16;
// Height of such a row in letters.
const EDGE = 8;
// Pixels of the section's width and height that hold no cell.
const BACK = 2000;
const FONT = '"DejaVu Sans Mono", "Liberation Mono", "Noto Sans Mono", Menlo, Consolas, "Cascadia Mono", monospace';

const isTouched = window.matchMedia("(pointer: coarse)").matches;

// Return the shape of a page whose window is so large, in letters of its text: the log "beside" a whole terminal, "below"
// one; "flat", a narrow table and its keys side by side; a "phone", one below the other.
function shape(width, height) {
  if (width >= 60 && height >= 34) {
    return "beside";
  }
  if (width >= 36 && height >= 40) {
    return "below";
  }
  return width > height && width >= 30 ? "flat" : "phone"; // a phone whose keyboard is up is wide, too
}

// Return the steps of a window's size that are of use.
export function useful(columns, rows) {
  return {
    columns: columns >= WIDE ? Math.min(columns, WIDEST) : COLUMNS,
    rows: rows >= HIGH ? Math.min(rows, HIGHEST) : ROWS,
  };
}

function tenths(size) {
  return Math.floor(size * 10) / 10;
}

async function load() {
  const [{ Terminal }] = await Promise.all([import("./vendor/xterm.js"), addSheet("./vendor/xterm.css")]);
  return Terminal;
}

function addSheet(name) {
  return new Promise((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = new URL(name, import.meta.url).href;
    link.addEventListener("load", resolve);
    link.addEventListener("error", reject);
    document.head.append(link);
  });
}

export class Screen {
  // `typed(text)` gets the keys, `sent(key)` returns what is typed for one, `sized(columns, rows)` each new size, `bell()` is
  // the terminal's bell, `viewed(view)` is told what is shown: "whole", "table", "text".
  constructor({ section, host, narrow, missing, typed, sent, sized, bell, viewed }) {
    Object.assign(this, { section, host, narrowElement: narrow, missing, typed, sized, bell, viewed });
    this.touch = new Touch({ host, narrow, sent, press: typed, touched: () => isTouched || this.focus() });
    this.columns = COLUMNS;
    this.rows = ROWS;
    this.terminal = null;
    this.narrow = null;
    this.isNarrow = false;
    this.hasButtons = false;
    this.frame = 0;
  }

  // Load xterm.js and show it; return whether it is there.
  async open() {
    let Terminal;
    try {
      allowStyles();
      Terminal = await load();
    } catch {
      this.host.hidden = true;
      this.missing.hidden = false;
      return false;
    }
    const terminal = new Terminal({
      cols: COLUMNS,
      rows: ROWS,
      scrollback: BACK,
      fontFamily: FONT,
      fontSize: USUAL_SIZE,
      minimumContrastRatio: 4.5,
      theme: theme(shownTheme()),
    });
    this.terminal = this.touch.terminal = terminal;
    terminal.open(this.host);
    terminal.attachCustomKeyEventHandler((event) => !isThePages(event, terminal));
    terminal.onData(this.typed);
    terminal.onBell(this.bell);
    terminal.onWriteParsed(() => {
      this.touch.moved();
      this.draw();
    });
    terminal.onScroll(() => this.touch.place());
    if (isTouched) {
      terminal.textarea.inputMode = "none"; // a phone's keyboard writes into the line for text, where IMEs work
    }
    this.narrow = new Narrow(this.narrowElement, terminal, (row) => this.touch.inRow(row), () => this.touch.isOfTable);
    this.name();
    new ResizeObserver(() => this.fit()).observe(this.section);
    window.addEventListener("resize", () => this.fit());
    this.restyle();
    return true;
  }

  name() {
    this.terminal?.textarea.setAttribute("aria-label", text("screen"));
  }

  focus() {
    if (!this.isNarrow) {
      this.terminal?.focus();
    }
  }

  write(bytes) {
    this.terminal?.write(bytes);
  }

  reset() {
    this.terminal?.reset();
    this.draw();
  }

  // Take the colours and the size that are preferred.
  restyle() {
    dress(document.documentElement, shownTheme());
    if (this.terminal !== null) {
      this.terminal.options.theme = theme(shownTheme());
      this.fit();
    }
  }

  // Show which cells mean a key when they are touched.
  touches(areas) {
    this.touch.show(areas);
    this.draw();
  }

  showsButtons(hasButtons) {
    this.hasButtons = hasButtons;
    this.draw();
  }

  // Return all text that the terminal holds, with what has scrolled away.
  text() {
    const { buffer } = this.terminal ?? { buffer: undefined };
    const found = [];
    for (let y = 0; y < (buffer?.active.length ?? 0); y += 1) {
      const line = buffer.active.getLine(y);
      const piece = line.translateToString(true);
      if (line.isWrapped) {
        found.push((found.pop() ?? "") + piece);
      } else {
        found.push(piece);
      }
    }
    return found.join("\n").trimEnd();
  }

  // Choose the shape, the view, the size of the letters and the number of columns and rows.
  fit() {
    const { terminal } = this;
    const { size, whole } = preferences();
    const { style } = document.documentElement;
    style.fontSize = size ? `${Math.round((size / USUAL_SIZE) * 16)}px` : "";
    const letter = parseFloat(getComputedStyle(document.documentElement).fontSize);
    const chosen = shape(window.innerWidth / letter, window.innerHeight / letter);
    document.body.dataset.shape = chosen;
    document.body.dataset.letters = size ? "chosen" : "fitting";
    const room = this.section.getBoundingClientRect();
    if (terminal === null || room.width === 0) {
      return;
    }
    const cell = this.cell();
    const across = (room.width - EDGE) / (COLUMNS * cell.width);
    const high = Math.max(READABLE_SIZE, (room.height - EDGE) / (TABLE_ROWS * LEADING));
    this.isNarrow = !whole && (chosen === "flat" || chosen === "phone");
    this.host.hidden = this.isNarrow;
    this.narrowElement.hidden = !this.isNarrow;
    style.setProperty("--half", `${tenths(Math.min(2 * across, high))}px`);
    style.setProperty("--eighty", `${tenths(across)}px`);
    style.setProperty("--reading", `${size || READING_SIZE}px`);
    if (this.isNarrow) {
      this.resize(COLUMNS, ROWS);
    } else {
      this.fitWhole(room, cell, across, size);
    }
    this.draw();
  }

  fitWhole(room, cell, across, size) {
    const height = room.height - EDGE;
    const fits = (one) => one <= across && ROWS * Math.ceil(one * cell.height) <= height;
    const sizes = Array.from({ length: LARGEST_SIZE - SMALLEST_SIZE + 1 }, (_, at) => LARGEST_SIZE - at);
    const small = Math.min(across, height / (ROWS * cell.height), SMALLEST_SIZE);
    const chosen = size || (sizes.find(fits) ?? Math.max(LEAST_SIZE, tenths(small)));
    this.terminal.options.fontSize = chosen;
    const columns = Math.floor((room.width - EDGE) / (chosen * cell.width));
    const rows = Math.floor(height / Math.ceil(chosen * cell.height));
    const wanted = size ? useful(columns, rows) : { columns: COLUMNS, rows: ROWS };
    this.resize(wanted.columns, wanted.rows);
    requestAnimationFrame(() => this.touch.place());
  }

  // The size of the letters that are read now, in pixels.
  get size() {
    return preferences().size || (this.isNarrow ? READING_SIZE : (this.terminal?.options.fontSize ?? READING_SIZE));
  }

  // Return width and height of a cell whose letters are one pixel high.
  cell() {
    if (this.measured === undefined) {
      const context = document.createElement("canvas").getContext("2d");
      context.font = `100px ${FONT}`;
      const { width, fontBoundingBoxAscent, fontBoundingBoxDescent } = context.measureText("W");
      this.measured = { width: width / 100, height: (fontBoundingBoxAscent + fontBoundingBoxDescent) / 100 };
    }
    return this.measured;
  }

  resize(columns, rows) {
    if (this.terminal.cols !== columns || this.terminal.rows !== rows) {
      this.terminal.resize(columns, rows);
    }
    if (this.columns !== columns || this.rows !== rows) {
      this.columns = columns;
      this.rows = rows;
      this.sized(columns, rows);
    }
  }

  // Draw the narrow view at the next frame, if it is shown.
  draw() {
    if (this.frame !== 0) {
      return;
    }
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.viewed(this.isNarrow && this.narrow !== null ? this.narrow.draw(this.hasButtons) : "whole");
    });
  }
}

// Return whether a key is the page's or the browser's, not the terminal's: whoever comes in by TAB gets out by it, and
// the clipboard has its usual keys.
function isThePages(event, terminal) {
  const isPlain = event.ctrlKey && !event.altKey && !event.shiftKey;
  const isOfClipboard = isPlain && (event.key === "v" || (event.key === "c" && terminal.hasSelection()));
  return isOfClipboard || event.key === "Tab" || /^F\d+$/.test(event.key) || event.metaKey;
}
