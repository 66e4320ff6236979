// What can be touched on the terminal: the areas of the keys that the server tells, {key, column, row, width, height}.
//
// On the whole terminal they are invisible buttons above its cells, which a pointer outlines; whoever uses a keyboard
// or a screen reader has the same keys as buttons of the page, so these are hidden from both.

import { code } from "./keys.js";

export class Touch {
  // `press(text)` sends, `touched()` is told that something was.
  constructor({ host, narrow, press, touched }) {
    this.host = host;
    this.areas = [];
    this.layer = document.createElement("div");
    this.layer.className = "touches";
    this.layer.setAttribute("aria-hidden", "true");
    host.append(this.layer);
    for (const element of [this.layer, narrow]) {
      element.addEventListener("click", ({ target }) => {
        const found = target.closest("[data-touch]");
        if (found !== null && press(found.dataset.touch)) {
          touched();
        }
      });
    }
    narrow.addEventListener("pointerover", ({ target }) => this.outline(narrow, target));
    narrow.addEventListener("pointerleave", () => this.outline(narrow, null));
  }

  show(areas) {
    this.areas = areas.map(([key, column, row, width, height]) => ({ sent: code(key), column, row, width, height }));
    this.place();
  }

  // Put the buttons above the cells of the terminal.
  place() {
    const screen = this.host.querySelector(".xterm-screen");
    const box = screen?.getBoundingClientRect();
    const own = this.host.getBoundingClientRect();
    if (!box?.width) {
      return;
    }
    const [wide, high] = [box.width / this.columns, box.height / this.rows];
    this.layer.replaceChildren(...this.areas.map(({ sent, column, row, width, height }) => {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.dataset.touch = sent;
      button.style.left = `${box.left - own.left + column * wide}px`;
      button.style.top = `${box.top - own.top + row * high}px`;
      button.style.width = `${width * wide}px`;
      button.style.height = `${height * high}px`;
      return button;
    }));
  }

  // The terminal has another size.
  fit(columns, rows) {
    this.columns = columns;
    this.rows = rows;
    this.place();
  }

  // Return what the cell at a column and row sends when it is touched; empty: nothing.
  at(x, y) {
    const found = this.areas.find(({ column, row, width, height }) =>
      x >= column && x < column + width && y >= row && y < row + height);
    return found?.sent ?? "";
  }

  // Outline all parts of what the pointer is on.
  outline(narrow, target) {
    const sent = target?.closest("[data-touch]")?.dataset.touch;
    for (const part of narrow.querySelectorAll("[data-touch]")) {
      part.classList.toggle("outlined", part.dataset.touch === sent);
    }
  }
}
