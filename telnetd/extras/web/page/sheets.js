// xterm.js under a Content-Security-Policy that allows no inline style.
//
// It writes its colours and measures into <style> elements and, for a few cells, into style attributes, both of which
// the policy forbids. Both have an equal in the CSS object model, which it allows: a style sheet that the document
// adopts, and the `style` object of an element. So `document.createElement` gives elements that use those; what stands
// in for a <style> is an inert <template>, since the policy counts an empty <style> as well.

const create = document.createElement.bind(document);

function adopted(element) {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (css) => sheet.replaceSync(css),
  });
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
    Element.prototype.remove.call(element);
  };
  return element;
}

function setAttribute(name, value) {
  if (name === "style") {
    this.style.cssText = value;
  } else {
    Element.prototype.setAttribute.call(this, name, value);
  }
}

export function allowStyles() {
  document.createElement = (name, options) => {
    if (name === "style") {
      return adopted(create("template"));
    }
    const element = create(name, options);
    if (name === "span") {
      element.setAttribute = setAttribute;
    }
    return element;
  };
}
