// The screen where 80 columns would be too small to read, as on a phone: a table's regions one below the other, other
// text broken anew. Drawn from the terminal that xterm.js keeps, 80 columns and 24 rows as the BBS sees it.

import { isTable, lines, readRow, regions, runs } from "./cells.js";
import { Follower } from "./follow.js";

const BACK = 150;
// Rows that can be scrolled back to.

const DEEPEST = 7;
// Columns by which further lines of an indented one are indented, at most.

function drawn(row) {
  const line = document.createElement("div");
  for (const { text, look, means } of runs(row)) {
    const span = document.createElement("span");
    span.textContent = text;
    span.className = look;
    if (means) {
      span.dataset.touch = means;
    }
    line.append(span);
  }
  if (row.chars.every((char) => char === " ")) {
    line.classList.add("gap");
  }
  return line;
}

// Let further lines of an indented one begin below its text.
function hang(line, row) {
  const blanks = row.chars.findIndex((char) => char !== " ");
  const depth = Math.min(Math.max(blanks, 0), DEEPEST);
  line.style.paddingLeft = `${depth}ch`;
  line.style.textIndent = `-${depth}ch`;
}

export class Narrow {
  // `touched(row)` returns a function that returns which key a column of that row of the screen means; `isOfTable()` returns
  // whether the screen is a table's, with help over it or not.
  constructor(element, terminal, touched, isOfTable) {
    this.element = element;
    this.touched = touched;
    this.isOfTable = isOfTable;
    this.terminal = terminal;
    this.follower = new Follower(element);
    this.shown = "";
    this.view = "";
  }

  // Draw what the terminal holds; `hasButtons`: the keys that it lists are buttons on the page. Return "table" or "text".
  draw(hasButtons) {
    const { buffer, cols, rows: height } = this.terminal;
    const { baseY, cursorX, cursorY } = buffer.active;
    const window = this.read(baseY, baseY + height, cols);
    const isAtTable = isTable(window);
    const parts = isAtTable
      ? regions(window, hasButtons).map(({ name, rows }) => ({ name, lines: rows.map((row) => ({ row })) }))
      : [{ name: "text", lines: this.text(baseY + cursorY, cursorX, cols) }];
    this.put(parts, isAtTable ? "table" : this.isOfTable() ? "help" : "text");
    return isAtTable ? "table" : "text";
  }

  read(from, to, columns) {
    const rows = [];
    for (let y = from; y < to; y += 1) {
      const line = this.terminal.buffer.active.getLine(y);
      if (line !== undefined) {
        rows.push(readRow(line, columns, this.touched(y - this.terminal.buffer.active.baseY)));
      }
    }
    return rows;
  }

  // Return the lines down to the cursor's, or to the last that is not blank.
  text(cursor, column, columns) {
    const first = Math.max(0, cursor - BACK);
    const rows = this.read(first, cursor + this.terminal.rows, columns);
    const blank = (row) => row.chars.every((char) => char.trim() === "");
    while (rows.length > cursor - first + 1 && blank(rows.at(-1))) {
      rows.pop();
    }
    const found = lines(rows, cursor - first);
    const own = found.find(({ at }) => at === cursor - first);
    if (own !== undefined && !this.isOfTable()) {
      const { chars, looks, means } = own.row;
      while (chars.length <= column) {
        chars.push(" ");
        looks.push("");
        means.push("");
      }
      looks[column] = `${looks[column]} cursor`.trim();
    }
    return found;
  }

  put(parts, view) {
    const key = JSON.stringify(parts);
    if (key === this.shown && view === this.view) {
      return;
    }
    const nodes = parts.map(({ name, lines: all }) => {
      const part = document.createElement("div");
      part.className = `part is-${name}`;
      for (const { row, isArt } of all) {
        const line = drawn(row);
        line.classList.toggle("art", isArt === true);
        if (isArt === false) {
          hang(line, row);
        }
        part.append(line);
      }
      return part;
    });
    this.element.replaceChildren(...nodes);
    if (view !== this.view) {
      this.follower.isFollowing = view !== "help"; // which is read from its beginning
      this.element.scrollTop = 0;
    }
    this.shown = key;
    this.view = view;
    this.follower.follow();
  }
}
