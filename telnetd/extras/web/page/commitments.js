// The text by which this device has a part in the deal of the next game: drawn here, and known to nobody else until the
// table says that all commitments are frozen (docs/fairness.md). It lies in sessionStorage, so a reload keeps it.

import { sha256 } from "./sha256.js";

const PLACE = "yawc.commitment";
const LETTERS = "abcdefghijkmnpqrstuvwxyz23456789";

// Return a text of eight letters and a random part; `random` fills an array of bytes.
export function drawn(random) {
  const bytes = random(new Uint8Array(24));
  const word = Array.from(bytes.subarray(0, 8), (byte) => LETTERS[byte % 32]).join("");
  return `${word}/${Array.from(bytes.subarray(8), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

// Return what to answer to what the table tells of the next game, {seal, mine, frozen}: {kind, text}, or null. `mine` is
// this player's commitment, empty if there is none. `kept` has what was drawn last, {seal, text}.
export function answer({ seal, mine, frozen }, kept, random) {
  if (frozen) {
    const isOwn = kept.seal === seal && mine !== "" && sha256(kept.text) === mine;
    return isOwn ? { kind: "o", text: kept.text } : null;
  }
  if (mine !== "" || seal === "") {
    return null;
  }
  if (kept.seal !== seal) {
    kept.seal = seal;
    kept.text = drawn(random);
  }
  return { kind: "c", text: sha256(kept.text) };
}

export function stored() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? { seal: "", text: "" };
  } catch {
    return { seal: "", text: "" }; // storage is forbidden: a reload loses the text
  }
}

export function store(kept) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify(kept));
  } catch {
    // as above
  }
}
