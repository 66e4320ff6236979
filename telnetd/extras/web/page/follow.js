// Keeps a reader at the end of text that grows, unless they have scrolled back.

const NEAR = 24;
// Pixels above the end that still count as the end.

export class Follower {
  constructor(element) {
    this.element = element;
    this.isFollowing = true;
    this.top = 0;
    this.size = "";
    element.addEventListener("scroll", () => this.look());
    new ResizeObserver(() => this.follow()).observe(element);
  }

  look() {
    const { scrollTop, scrollHeight, clientHeight } = this.element;
    const size = `${scrollHeight} ${clientHeight}`;
    if (size !== this.size) {
      this.size = size;
      this.follow(); // the browser moved the text because its room has changed, not the reader
    } else if (scrollHeight - scrollTop - clientHeight < NEAR) {
      this.isFollowing = true;
    } else if (scrollTop < this.top) {
      this.isFollowing = false;
    }
    this.top = scrollTop;
  }

  // Go to the end, unless the reader is elsewhere.
  follow() {
    if (this.isFollowing) {
      this.element.scrollTop = this.element.scrollHeight;
      this.top = this.element.scrollTop;
    }
  }
}
