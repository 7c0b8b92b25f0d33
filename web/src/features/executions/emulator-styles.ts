// Puts the terminal's own rules into adopted sheets, because the page's policy refuses style elements.
import type { Terminal } from "@xterm/xterm";

/**
 * Open the emulator; what it takes for style elements are empty ones, their rules go into adopted sheets. Gives what removes them.
 * The emulator's option `documentOverride` would be the place for this, but version 6.0 ignores it for the scrollbar's rules.
 */
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
