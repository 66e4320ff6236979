// The terminal's rows as text: read from xterm.js, and laid out for a narrow screen. Draws nothing.
//
// A row is {chars, looks, means}: for each column a character, the CSS classes of how it looks, and which key it means when
// it is touched, if any.

const BORDER = 40;
// The column of the line between the left and right regions of a table.
const STATUS_ROW = 11;
const COUNTER_ROW = 5;
const CHAT_ROW = 23;
const FULL = 75;
// Columns of a line that the BBS may have broken because it was full.
const MIDDLE = 16;
// Blanks before text that stands in the middle of a line.
const ART = /[\u2500-\u259f]/;
const COLUMNS = /\S {3,}\S/;
const KEYS = /^\s*\[[^\]]{1,6}\] /;

// Return the classes of a cell: colours (f: of the character, b: behind it), bold, dim.
export function look(cell) {
  const colour = (isPalette, number) => (isPalette && number < 16 ? number : -1);
  let front = colour(cell.isFgPalette(), cell.getFgColor());
  let back = colour(cell.isBgPalette(), cell.getBgColor());
  if (front >= 0 && front < 8 && cell.isBold()) {
    front += 8;
  }
  const classes = [];
  if (cell.isInverse()) {
    [front, back] = [back, front];
    classes.push(front < 0 ? "fi" : `f${front}`, back < 0 ? "bi" : `b${back}`);
  } else {
    // White letters on the page's own ground would not be seen in the light.
    const isWhite = (front === 7 || front === 15) && back < 0;
    classes.push(isWhite ? "fw" : front < 0 ? "" : `f${front}`, back < 0 ? "" : `b${back}`);
  }
  classes.push(cell.isBold() ? "bold" : "", cell.isDim() ? "dim" : "");
  return classes.filter((name) => name !== "").join(" ");
}

// Return a row of xterm.js's buffer.
export function readRow(line, columns, at = () => "") {
  const chars = [];
  const looks = [];
  const means = [];
  let cell;
  for (let x = 0; x < columns; x += 1) {
    cell = line.getCell(x, cell);
    chars.push(cell.getWidth() === 0 ? "" : cell.getChars() || " ");
    looks.push(look(cell));
    means.push(at(x));
  }
  return { chars, looks, means };
}

export function textOf(row) {
  return row.chars.join("").trimEnd();
}

// Return a part of a row, without blanks that look like nothing at its end.
export function cut(row, from, to) {
  let end = Math.min(to, row.chars.length);
  while (end > from && row.chars[end - 1].trim() === "" && row.looks[end - 1] === "") {
    end -= 1;
  }
  return { chars: row.chars.slice(from, end), looks: row.looks.slice(from, end), means: row.means.slice(from, end) };
}

function joined(first, second) {
  return {
    chars: [...first.chars, " ", ...second.chars],
    looks: [...first.looks, "", ...second.looks],
    means: [...first.means, "", ...second.means],
  };
}

// Return whether rows, the topmost first, show a table: its regions have a line between them.
export function isTable(rows) {
  return rows.length > CHAT_ROW && [1, 2, 3, 4].every((at) => "│|".includes(rows[at].chars[BORDER] || " "));
}

// Return a table's regions one below the other, each at most as wide as half of the screen: the game, the others, what
// is asked or told, the caller's own cards, the status line, the chat line. Keys that are buttons are left out.
export function regions(rows, hasButtons) {
  const left = (first, last) => rows.slice(first, last).map((row) => cut(row, 0, BORDER));
  const right = (first, last) => rows.slice(first, last).map((row) => cut(row, BORDER + 1, row.chars.length));
  const told = right(COUNTER_ROW, STATUS_ROW)
    .filter((row) => !hasButtons || !KEYS.test(textOf(row)))
    .filter((row) => !isOnlyLine([row]));
  const whole = cut(rows[STATUS_ROW], 0, rows[STATUS_ROW].chars.length);
  const status = [[2, 1].map((blanks) => squeezed(whole, blanks)).find((row, at) => at > 0 || row.chars.length <= BORDER)];
  const chat = [cut(rows[CHAT_ROW], 0, rows[CHAT_ROW].chars.length)];
  const found = [
    { name: "game", rows: right(0, COUNTER_ROW) },
    { name: "others", rows: left(0, COUNTER_ROW) },
    { name: "told", rows: told },
    { name: "cards", rows: left(COUNTER_ROW, STATUS_ROW) },
    { name: "status", rows: status },
    { name: "chat", rows: chat },
  ];
  return found
    .map(({ name, rows: all }) => ({ name, rows: trimmed(all) }))
    .filter((one) => !isOnlyLine(one.rows));
}

// Return rows without the blank ones above and below; of several between, one is left.
function trimmed(rows) {
  const isBlank = (row) => row === undefined || textOf(row).trim() === "";
  const kept = rows.filter((row, at) => !isBlank(row) || !isBlank(rows[at - 1]));
  while (kept.length > 0 && isBlank(kept.at(-1))) {
    kept.pop();
  }
  return kept;
}

// Return whether there is nothing but a line of the table's border.
function isOnlyLine(rows) {
  return rows.every((row) => /^[─\-+┼┤├┴\s]*$/.test(textOf(row)));
}

// Return a row in which a gap is so many blanks at most.
function squeezed(row, blanks) {
  const isGap = (at) => at >= blanks && row.chars.slice(at - blanks, at + 1).every((char) => char === " ");
  const keep = row.chars.map((_, at) => !isGap(at));
  return {
    chars: row.chars.filter((_, at) => keep[at]),
    looks: row.looks.filter((_, at) => keep[at]),
    means: row.means.filter((_, at) => keep[at]),
  };
}

function indent(text) {
  return text.length - text.trimStart().length;
}

// Return whether a line goes on in the next one: it was full, and that one is no column of a list.
function goesOn(text, next) {
  const word = next.trimStart().split(" ", 1)[0];
  return (
    text !== "" && next.trim() !== "" && text.length + 1 + word.length > FULL
    && indent(next) >= indent(text) && !COLUMNS.test(next.trimStart()) && !ART.test(text) && !ART.test(next)
  );
}

// Return rows as lines to be broken anew where the window ends, {row, isArt}. What was one line before the BBS broke it
// is one again; drawings stay as they are; several blank rows are one. The row at `cursor` begins a line.
export function lines(rows, cursor) {
  const found = [];
  rows.forEach((row, at) => {
    const text = textOf(row);
    const last = found.at(-1);
    if (last !== undefined && at !== cursor && goesOn(last.broken, text)) {
      last.row = joined(last.row, cut(row, indent(text), row.chars.length));
      last.broken = text;
    } else if (text !== "" || at === cursor || (last !== undefined && last.broken !== "")) {
      // What stood in the middle of 80 columns stands at the left.
      const start = at !== cursor && !ART.test(text) && indent(text) > MIDDLE ? indent(text) : 0;
      found.push({ row: cut(row, start, row.chars.length), broken: text, isArt: ART.test(text), at });
    }
  });
  return found.map(({ row, isArt, at }) => ({ row, isArt, at }));
}

// Return a row's runs of characters that look alike.
export function runs(row) {
  const found = [];
  row.chars.forEach((char, at) => {
    const last = found.at(-1);
    if (last !== undefined && last.look === row.looks[at] && last.means === row.means[at]) {
      last.text += char;
    } else {
      found.push({ text: char, look: row.looks[at], means: row.means[at] });
    }
  });
  return found;
}
