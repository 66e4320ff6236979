// A link for others, as the server tells it: to be copied, sent on, or taken by a phone's camera.
//
// The QR code is made by qrcode-generator, which is no part of the source; without it there is the link alone.

const QUIET = 4;
// Modules of white around a QR code.
const SVG = "http://www.w3.org/2000/svg";

// Return {size, path}: an SVG path of the dark modules of a text's QR code; null where nothing makes one.
async function drawn(text) {
  let qrcode;
  try {
    qrcode = (await import("./vendor/qrcode/qrcode.js")).default;
  } catch {
    return null;
  }
  const code = qrcode(0, "M");
  code.addData(text);
  code.make();
  const size = code.getModuleCount();
  const all = Array.from({ length: size * size }, (_, at) => [Math.floor(at / size), at % size]);
  const path = all.filter(([y, x]) => code.isDark(y, x)).map(([y, x]) => `M${x + QUIET} ${y + QUIET}h1v1h-1z`);
  return { size: size + 2 * QUIET, path: path.join("") };
}

async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    document.execCommand("copy"); // of a page without HTTPS
  }
}

export class Share {
  // `find(id)` returns the dialog's elements; `copied()` is told when the link lies in the clipboard.
  constructor(find, copied) {
    this.dialog = find("share-dialog");
    this.field = find("share-link");
    this.code = find("share-code");
    find("share-copy").addEventListener("click", () => copy(this.field).then(copied));
    find("share-send").hidden = navigator.share === undefined;
    find("share-send").addEventListener("click", () => navigator.share({ url: this.field.value }).catch(() => {}));
    find("share-close").addEventListener("click", () => this.dialog.close());
  }

  // Show a link and its QR code.
  async show({ link }) {
    this.field.value = link;
    const found = await drawn(link);
    this.code.toggleAttribute("hidden", found === null);
    if (found !== null) {
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", found.path);
      this.code.setAttribute("viewBox", `0 0 ${found.size} ${found.size}`);
      this.code.replaceChildren(path);
    }
    if (!this.dialog.open) {
      this.dialog.showModal();
    }
    this.field.select();
  }
}

// Return what the address of the page leads to: a table, or an invitation.
export function linked(hash) {
  const said = hash.replace(/^#/, "");
  return said.startsWith("join=") ? { invitation: said.slice(5, 45) } : { place: said.slice(0, 40) };
}
