// Keyboard shortcuts for every page. They are off while you type.
import { type RefObject, useLayoutEffect } from "react";
import { useNavigate } from "react-router";

import { PAGES } from "../navigation/navigation";
import { openPalette } from "../palette/open-palette";

const TYPING = "input, textarea, select, [contenteditable], .xterm";
const WAIT = 1_500;
const ACTION = ".actions :is(button, a, summary):not(:disabled)";

/** Return whether a key press belongs to the focused field or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as Element | null;
  return event.metaKey || event.ctrlKey || event.altKey || target?.closest?.(TYPING) != null;
}

/** Run handlers by key name while the calling component is shown. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>): void {
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const act = isTyping(event) || document.querySelector("dialog[open]") ? undefined : keys[event.key];
      if (act !== undefined) act(event);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [keys]);
}

export function useShortcuts(help: () => void): void {
  const navigate = useNavigate();
  useLayoutEffect(() => {
    let lastG = 0;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) {
        if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      if (event.key === "g") lastG = Date.now();
      else if (Date.now() - lastG < WAIT) {
        lastG = 0;
        const place = PAGES.find((each) => each.key === event.key);
        if (place !== undefined) {
          event.preventDefault();
          event.stopImmediatePropagation();
          void navigate(place.to);
        }
      } else if (event.key === "/") {
        event.preventDefault();
        focusSearch();
      } else if (event.key === ".") firstAction()?.focus();
      else if (event.key === "?") help();
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, [navigate, help]);
}

/** Focus the search field, or open the palette where the screen is too narrow for one. */
function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>("[data-search]");
  if (field?.checkVisibility?.() ?? field !== null) field?.focus();
  else openPalette();
}

/** Return the first action of the selected row, or of the page. */
function firstAction(): HTMLElement | null {
  return (
    document.querySelector<HTMLElement>(`[data-chosen] ${ACTION}`) ??
    document.querySelector<HTMLElement>(`.page-head ${ACTION}`)
  );
}

const KEYS: [string[], string][] = [
  ...PAGES.filter((place) => place.key).map((place): [string[], string] => [["g", place.key!], place.name]),
  [["j", "k"], "next or previous row"],
  [["Enter"], "open or send"],
  [["1", "…", "6"], "choose an answer"],
  [["e"], "write an answer"],
  [["o"], "open the terminal"],
  [["[", "]"], "previous or next view of a mission"],
  [["f"], "fit the graph"],
  [["c"], "show only the critical path"],
  [["."], "actions for the selected row"],
  [["/"], "search"],
  [["Ctrl", "K"], "jump to anything, or act (⌘K on a Mac)"],
  [["Esc"], "go back"],
];

export function KeysDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keyboard shortcuts</h2>
      <dl className="keys">
        {KEYS.map(([keys, words]) => (
          <div key={words} style={{ display: "contents" }}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" className="actions">
        <button type="submit" className="button">
          Close
        </button>
      </form>
    </dialog>
  );
}
