// What happened, in words: each message once, the newest last. A screen reader speaks what is added.

import { Follower } from "./follow.js";

const MOST = 400;
const DRAWING = /[\u2500-\u259f]/;
// Lines and boxes, as those of a chart: nothing to be spoken.
const SILENCE = 1000;
// Milliseconds after which a screen reader has seen what it is not to speak.

export class Log {
  constructor(element) {
    this.element = element;
    this.follower = new Follower(element);
    this.heard = 0; // the number of the last message
  }

  // Add a message. One of the page's own has no number.
  add({ text, style = "", number = this.heard }) {
    this.heard = number;
    if (DRAWING.test(text)) {
      return;
    }
    const { element } = this;
    const line = document.createElement("p");
    line.textContent = text;
    if (/^[a-z_-]+$/i.test(style)) {
      line.classList.add(`is-${style.toLowerCase()}`);
    }
    element.append(line);
    while (element.childElementCount > MOST) {
      element.firstElementChild.remove();
    }
    this.follower.follow();
  }

  // Begin with what happened before, which is read by those who look for it, and not spoken.
  begin(messages) {
    this.element.setAttribute("aria-live", "off");
    this.element.replaceChildren();
    messages.forEach((message) => this.add(message));
    setTimeout(() => this.element.setAttribute("aria-live", "polite"), SILENCE);
  }
}
