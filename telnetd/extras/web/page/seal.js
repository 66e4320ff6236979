// Whether a game's page proves its cards: what the script in docs/fairness.md does. Knows no page and no language.

import { sha256 as sha } from "./sha256.js";

function ended(lines) {
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
    sealed: all(/^ +(\d): ([0-9a-f]{64})$/gm).map((found) => `${found[1]} ${found[2]}`),
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
export function order(key, length) {
  const places = Array.from({ length }, (_, at) => at + 1);
  let drawn = 0;
  for (let last = length - 1; last > 0; last -= 1) {
    const choices = last + 1;
    let number = 65536;
    while (number >= 65536 - (65536 % choices)) {
      number = parseInt(sha(`${key} ${drawn}`).slice(0, 4), 16);
      drawn += 1;
    }
    const other = number % choices;
    [places[last], places[other]] = [places[other], places[last]];
  }
  return places;
}

// Return what was found of a page: {noted, row, sealed, order, words, cards: [{card, position, number, right}]}; null: no
// page. `sealed` is null of an older game, in which no words were sealed.
export function check(page, noted) {
  const found = read(page);
  if (found === null) {
    return null;
  }
  const { seal, words, sealed, row, opened, told } = found;
  const places = order(ended([seal, ...words]), row.length);
  const given = words.filter((word) => word.length > 2).map((word) => `${word[0]} ${sha(word.slice(2))}`);
  const cards = opened.map(({ text, position, card }) => ({
    card,
    position,
    number: places.indexOf(position) + 1,
    right: sha(text) === row[position - 1],
  }));
  const start = noted.trim().toLowerCase();
  return {
    noted: start.length >= 40 && seal.startsWith(start),
    row: row.length > 0 && ended(row) === seal,
    sealed: sealed.length === 0 ? null : given.join() === sealed.join(),
    words,
    order: places.length > 0 && places.join(" ") === told.join(" "),
    cards,
  };
}
