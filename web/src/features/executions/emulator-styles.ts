// The terminal's own styles by ways that the page's policy allows: it refuses style elements and style attributes.
import type { Terminal } from "@xterm/xterm";

// The emulator colours a stretch of characters by the style attribute of its span; as properties the same is allowed.
HTMLSpanElement.prototype.setAttribute = function (name: string, value: string) {
  if (name === "style") this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
};

/** Open the emulator; what it takes for style elements are empty ones, their rules go into adopted sheets. Gives what removes them. */
export function openWithoutInlineStyles(emulator: Terminal, box: HTMLElement): () => void {
  const sheets: CSSStyleSheet[] = [];
  const original = document.createElement.bind(document);
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    if (name.toLowerCase() !== "style") return original(name, options);
    const made = original("span");
    made.hidden = true;
    sheets.push(redirected(made));
    return made;
  }) as typeof document.createElement;
  try {
    emulator.open(box);
  } finally {
    delete (document as Partial<Document>).createElement;
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

function redirected(element: HTMLElement): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value;
      sheet.replaceSync(value);
    },
  });
  return sheet;
}
