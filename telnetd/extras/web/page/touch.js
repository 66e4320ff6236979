// What can be touched on the terminal: the areas of the keys that the server tells, {key, column, row, width, height}. Rows
// are those of the screen; below zero they count from the cursor's, which is -1.
//
// On the whole terminal they are invisible buttons above its cells, which a pointer outlines; whoever uses a keyboard
// or a screen reader has the same keys as buttons of the page, so these are hidden from both.

const NEAR = 12;
// Pixels around an area in which a finger means it, unless another one is nearer.

export class Touch {
  // `sent(key)` returns what is sent for a key, `press(text)` sends it, `touched()` is told that something was.
  constructor({ host, narrow, sent, press, touched }) {
    Object.assign(this, { host, narrow, sent, terminal: null, areas: [] });
    this.layer = document.createElement("div");
    this.layer.className = "touches";
    this.layer.setAttribute("aria-hidden", "true");
    host.append(this.layer);
    for (const element of [host, narrow]) {
      element.addEventListener("click", (event) => {
        const found = meant(element, event);
        if (found !== null && press(sent(found.dataset.touch))) {
          touched();
        }
      });
      element.addEventListener("pointerover", ({ target }) => this.outline(target.closest("[data-touch]")?.dataset.touch));
      element.addEventListener("pointerleave", () => this.outline());
    }
  }

  show(areas) {
    this.areas = areas.map(([key, column, row, width, height]) => ({ key, column, row, width, height }));
    this.place();
  }

  // Whether the screen is a table's, with help over it or not; else it is text that scrolls.
  get isOfTable() {
    return this.areas.some(({ row }) => row >= 0);
  }

  // Return the row of the screen in which an area begins.
  top({ row }) {
    return row < 0 ? this.terminal.buffer.active.cursorY + 1 + row : row;
  }

  // The terminal holds other text: what can be touched of it has moved with it.
  moved() {
    if (this.areas.some(({ row }) => row < 0)) {
      this.place();
    }
  }

  // Put the buttons above the cells of the terminal.
  place() {
    const box = this.host.querySelector(".xterm-screen")?.getBoundingClientRect();
    const own = this.host.getBoundingClientRect();
    if (!box?.width) {
      return;
    }
    const { cols, rows, buffer } = this.terminal;
    const [wide, high] = [box.width / cols, box.height / rows];
    const scrolled = buffer.active.baseY - buffer.active.viewportY;
    const shown = this.areas.filter((area) => this.top(area) + scrolled >= 0 && this.top(area) + scrolled < rows);
    this.layer.replaceChildren(...shown.map((area) => {
      const button = document.createElement("button");
      button.type = "button";
      button.tabIndex = -1;
      button.dataset.touch = area.key;
      button.style.left = `${box.left - own.left + area.column * wide}px`;
      button.style.top = `${box.top - own.top + (this.top(area) + scrolled) * high}px`;
      button.style.width = `${area.width * wide}px`;
      button.style.height = `${area.height * high}px`;
      return button;
    }));
  }

  // Return a function that returns which key a column of a row of the screen means; empty: none.
  inRow(row) {
    const here = this.areas.filter((area) => row >= this.top(area) && row < this.top(area) + area.height);
    return (column) => here.find((area) => column >= area.column && column < area.column + area.width)?.key ?? "";
  }

  // Outline all that means a key, or nothing.
  outline(key) {
    for (const part of [...this.layer.children, ...this.narrow.querySelectorAll("[data-touch]")]) {
      part.classList.toggle("outlined", key !== undefined && this.sent(part.dataset.touch) === this.sent(key));
    }
  }
}

// Return what a click is meant for; null: nothing. A finger need not hit it.
function meant(element, { target, clientX, clientY }) {
  const hit = target.closest("[data-touch]");
  if (hit !== null || !window.matchMedia("(pointer: coarse)").matches) {
    return hit;
  }
  const away = (part) => {
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return Math.hypot(Math.max(left - clientX, 0, clientX - right), Math.max(top - clientY, 0, clientY - bottom));
  };
  const near = Array.from(element.querySelectorAll("[data-touch]"), (part) => [away(part), part])
    .filter(([distance]) => distance < NEAR).sort(([one], [other]) => one - other);
  return near[0]?.[1] ?? null;
}
