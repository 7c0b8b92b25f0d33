// Keys that work on every page; off while typing.
import { useLayoutEffect, type RefObject } from "react";
import { useNavigate } from "react-router";

import { PLACES } from "./navigation";

const TYPING = "input, textarea, select, [contenteditable], .xterm";
const WAIT = 1_500;
const ACTION = ".actions :is(button, a, summary):not(:disabled)";

/** Whether a key belongs to what has the focus, or to the browser. */
export function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as Element | null;
  return event.metaKey || event.ctrlKey || event.altKey || target?.closest?.(TYPING) != null;
}

/** Do something on single keys, by name; a feature's own keys from the moment it is shown. */
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
    let goes = 0;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event)) {
        if (event.key === "Escape" && event.target instanceof HTMLElement) event.target.blur();
        return;
      }
      if (event.key === "g") goes = Date.now();
      else if (Date.now() - goes < WAIT) {
        goes = 0;
        const place = PLACES.find((each) => each.key === event.key);
        if (place !== undefined) {
          event.preventDefault();
          event.stopImmediatePropagation();
          void navigate(place.to);
        }
      } else if (event.key === "/") {
        event.preventDefault();
        document.querySelector<HTMLInputElement>("[data-search]")?.focus();
      } else if (event.key === ".") firstAction()?.focus();
      else if (event.key === "?") help();
    };
    document.addEventListener("keydown", press, { capture: true });
    return () => document.removeEventListener("keydown", press, { capture: true });
  }, [navigate, help]);
}

/** Of the row that keys are for, or of the page. */
function firstAction(): HTMLElement | null {
  return document.querySelector<HTMLElement>(`[data-chosen] ${ACTION}`) ?? document.querySelector<HTMLElement>(`.page-head ${ACTION}`);
}

const KEYS: [string[], string][] = [
  ...PLACES.filter((place) => place.key).map((place): [string[], string] => [["g", place.key!], place.name]),
  [["j", "k"], "next and previous row"],
  [["Enter"], "open, send"],
  [["1", "…", "6"], "choose an answer"],
  [["e"], "write an answer"],
  [["o"], "open the terminal"],
  [["[", "]"], "views of a mission"],
  [["f"], "fit the graph"],
  [["c"], "critical path only"],
  [["."], "actions of the row"],
  [["/"], "search"],
  [["Esc"], "back"],
];

export function KeysDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  return (
    <dialog ref={dialog} aria-labelledby="keys-title">
      <h2 id="keys-title">Keys</h2>
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
        <button className="button">Close</button>
      </form>
    </dialog>
  );
}
