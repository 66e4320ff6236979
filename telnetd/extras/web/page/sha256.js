// SHA-256 of a text, in hex digits. The browser's own (crypto.subtle) does not exist on a page by plain HTTP.

const FIRST = primes(64);
const ROUNDS = FIRST.map((prime) => fraction(Math.cbrt(prime)));
const START = FIRST.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

function primes(count) {
  const found = [];
  for (let number = 2; found.length < count; number += 1) {
    if (found.every((prime) => number % prime !== 0)) {
      found.push(number);
    }
  }
  return found;
}

function fraction(root) {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}

function turned(word, by) {
  return (word >>> by) | (word << (32 - by));
}

// Return the words of a message, padded as SHA-256 wants it.
function padded(bytes) {
  const words = new Int32Array(((bytes.length + 8) >> 6) * 16 + 16);
  bytes.forEach((byte, at) => {
    words[at >> 2] |= byte << (24 - 8 * (at % 4));
  });
  words[bytes.length >> 2] |= 0x80 << (24 - 8 * (bytes.length % 4));
  words[words.length - 1] = bytes.length * 8;
  return words;
}

function mixed(state, block) {
  const words = Array.from(block);
  for (let at = 16; at < 64; at += 1) {
    const [early, late] = [words[at - 15], words[at - 2]];
    const before = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3);
    const behind = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10);
    words.push((words[at - 16] + before + words[at - 7] + behind) | 0);
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let at = 0; at < 64; at += 1) {
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[at] + words[at]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, at) => (word + state[at]) | 0);
}

export function sha256(text) {
  const words = padded(new TextEncoder().encode(text));
  let state = START;
  for (let at = 0; at < words.length; at += 16) {
    state = mixed(state, words.subarray(at, at + 16));
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}
