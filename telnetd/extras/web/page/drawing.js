// A drawing as the server tells it: SVG of shapes and text, in a dialog.

export class Drawing {
  // `find(id)` returns the dialog's elements.
  constructor(find) {
    this.dialog = find("drawing-dialog");
    this.title = find("drawing-title");
    this.ground = find("drawing");
    find("drawing-close").addEventListener("click", () => this.dialog.close());
  }

  // Show a drawing under its title.
  show({ title, svg }) {
    this.title.textContent = title;
    this.ground.replaceChildren(new DOMParser().parseFromString(svg, "image/svg+xml").documentElement);
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
  }
}
