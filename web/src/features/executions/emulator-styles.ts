// The terminal's own styles by ways that the page's policy allows: it refuses style elements and style attributes.
import type { Terminal } from "@xterm/xterm";

/** Open the emulator so that its rules go into adopted sheets and its colours into properties. Gives what removes them. */
export function openWithoutInlineStyles(emulator: Terminal, box: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = [];
  const createElement = (name: string) => {
    const element = Document.prototype.createElement.call(document, name.toLowerCase() === "style" ? "span" : name);
    if (name.toLowerCase() !== "style") return withStyleAsProperties(element);
    const sheet = new CSSStyleSheet();
    sheets.push(sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    return standingFor(sheet, element);
  };
  emulator.options.documentOverride = documentWith(createElement);
  document.createElement = createElement as typeof document.createElement; // a part of it asks for the real document
  try {
    emulator.open(box);
  } finally {
    delete (document as Partial<Document>).createElement;
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

/** The document, but for how elements are made. */
function documentWith(createElement: (name: string) => HTMLElement): Document {
  return new Proxy(document, {
    get: (real, name) => {
      if (name === "createElement") return createElement;
      const value: unknown = Reflect.get(real, name, real);
      return typeof value === "function" ? (value as (...args: unknown[]) => unknown).bind(real) : value;
    },
  });
}

/** The colour of a character comes as a style attribute. */
function withStyleAsProperties(element: HTMLElement): HTMLElement {
  element.setAttribute = (name: string, value: string) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
  return element;
}

/** Takes the text of a style element and hands it to the sheet. */
function standingFor(sheet: CSSStyleSheet, element: HTMLElement): HTMLElement {
  element.hidden = true;
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value;
      sheet.replaceSync(value);
    },
  });
  return element;
}
