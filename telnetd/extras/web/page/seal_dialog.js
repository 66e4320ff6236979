// The dialog that checks the seal of a finished game: the page's text is taken from the screen, or pasted.

import { check, read } from "./seal.js";
import { text } from "./texts.js";

const NOTED = 40;
// Digits of a seal that people note.

export class SealDialog {
  // `screenText()` returns what the terminal holds.
  constructor(dialog, screenText) {
    const part = (id) => dialog.querySelector(`#${id}`);
    this.dialog = dialog;
    this.screenText = screenText;
    this.noted = part("noted");
    this.page = part("page");
    this.findings = part("findings");
    this.heard = new Set();
    part("take").addEventListener("click", () => this.take());
    part("seal-close").addEventListener("click", () => dialog.close());
    part("seal-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.check();
    });
  }

  // Remember the seal of the next game: the page heard it before that was dealt, so it counts as noted.
  hear(seal) {
    this.heard.add(seal.slice(0, NOTED));
  }

  open() {
    this.findings.replaceChildren();
    this.dialog.showModal();
  }

  take() {
    this.page.value = this.screenText();
    const seal = read(this.page.value)?.seal.slice(0, NOTED);
    if (this.noted.value === "" && this.heard.has(seal)) {
      this.noted.value = seal;
    }
  }

  check() {
    const found = check(this.page.value, this.noted.value);
    if (found === null) {
      this.show([["noPage", null]]);
      return;
    }
    this.show([
      ["sealNoted", found.noted],
      ["sealRow", found.row],
      [found.sealed === null ? "sealNone" : "sealSealed", found.sealed],
      ["sealOrder", found.order, { words: found.words.join(", ") }],
      ...found.cards.map(({ right, ...fields }) => ["sealCard", right, fields]),
    ]);
  }

  show(findings) {
    const items = findings.map(([key, right, fields]) => {
      const item = document.createElement("li");
      const verdict = right === null ? "" : `${text(right ? "right" : "wrong")}: `;
      item.textContent = verdict + text(key, fields);
      item.className = right === null ? "" : right ? "right" : "wrong";
      return item;
    });
    this.findings.replaceChildren(...items);
  }
}
