// What happened, in words: each message once, the newest last. A screen reader speaks what is added.

import { Follower } from "./follow.js";

const MOST = 400;
const DRAWING = /[\u2500-\u259f]/;
// Lines and boxes, as in the greeting: nothing to be spoken.

export class Log {
  constructor(element) {
    this.element = element;
    this.follower = new Follower(element);
  }

  // Add a message.
  add(text, style = "") {
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
}
