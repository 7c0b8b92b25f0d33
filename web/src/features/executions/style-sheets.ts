// xterm writes <style> elements, which the page's policy forbids: they become constructed style sheets instead.

const sheets = new WeakMap<HTMLStyleElement, CSSStyleSheet>();

function adopted(element: HTMLStyleElement): CSSStyleSheet {
  let sheet = sheets.get(element);
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheets.set(element, sheet);
    document.adoptedStyleSheets.push(sheet);
  }
  return sheet;
}

function asSheet(element: HTMLStyleElement): HTMLStyleElement {
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (text: string) => adopted(element).replaceSync(text),
  });
  const remove = element.remove.bind(element);
  element.remove = () => {
    const sheet = sheets.get(element);
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((each) => each !== sheet);
    remove();
  };
  return element;
}

/** Do something while new <style> elements are turned into style sheets. */
export function withStyleSheets<Value>(work: () => Value): Value {
  const create = document.createElement;
  document.createElement = function (this: Document, name: string, options?: ElementCreationOptions) {
    const element = create.call(document, name, options);
    return name === "style" ? asSheet(element as HTMLStyleElement) : element;
  } as typeof document.createElement;
  try {
    return work();
  } finally {
    document.createElement = create;
  }
}
