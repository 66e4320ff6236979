// Whether a game's page proves its cards: what the script in docs/fairness.md does, by the browser's own SHA-256.
// Knows no page and no language.

async function sha(text) {
  const sum = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(sum), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function ended(lines) {
  return sha(lines.map((line) => `${line}\n`).join(""));
}

// Return what stands on a game's page; null if there is no seal on it.
export function read(page) {
  const clean = page.replace(/[ \r]+$/gm, "");
  const seal = /^ +([0-9a-f]{64})$/m.exec(clean)?.[1];
  if (seal === undefined) {
    return null;
  }
  const all = (pattern) => Array.from(clean.matchAll(pattern));
  return {
    seal,
    words: all(/^ +'(\d [^']*)' (?:\\|\|)/gm).map((found) => found[1]),
    row: all(/^ +\d+ ([0-9a-f]{64})$/gm).map((found) => found[1]),
    opened: all(/printf %s '((\d+) (\S+) [0-9a-f]{32})'/g).map((found) => ({
      text: found[1],
      position: Number(found[2]),
      card: found[3],
    })),
    told: all(/^ *((?:\d+ )+\d+)$/gm)
      .flatMap((found) => found[1].split(" "))
      .map(Number),
  };
}

// Return the positions in the order in which a key has them dealt (Fisher and Yates, by numbers drawn from the key).
export async function order(key, length) {
  const places = Array.from({ length }, (_, at) => at + 1);
  let drawn = 0;
  for (let last = length - 1; last > 0; last -= 1) {
    const choices = last + 1;
    let number = 65536;
    while (number >= 65536 - (65536 % choices)) {
      number = parseInt((await sha(`${key} ${drawn}`)).slice(0, 4), 16);
      drawn += 1;
    }
    const other = number % choices;
    [places[last], places[other]] = [places[other], places[last]];
  }
  return places;
}

// Return what was found of a page: {noted, row, order, words, cards: [{card, position, number, right}]}; null: no page.
export async function check(page, noted) {
  const found = read(page);
  if (found === null) {
    return null;
  }
  const { seal, words, row, opened, told } = found;
  const places = await order(await ended([seal, ...words]), row.length);
  const cards = opened.map(async ({ text, position, card }) => ({
    card,
    position,
    number: places.indexOf(position) + 1,
    right: (await sha(text)) === row[position - 1],
  }));
  const start = noted.trim().toLowerCase();
  return {
    noted: start.length >= 40 && seal.startsWith(start),
    row: row.length > 0 && (await ended(row)) === seal,
    words,
    order: places.length > 0 && places.join(" ") === told.join(" "),
    cards: await Promise.all(cards),
  };
}
