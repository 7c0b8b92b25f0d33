// The command palette (Ctrl+K or ⌘K): jump to anything by a few letters of its name, or act, without the mouse.
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useNavigate } from "react-router";

import { Icon } from "@/ui/icons";
import { StatusIcon } from "@/ui/status/status-icon";
import { NewMissionForm } from "../missions/new-mission-form";
import { StartAnyRunForm } from "../runs/start-run";
import { LaunchAnyTaskForm } from "../tasks/launch-form";
import { type Entry, fitting, merged } from "./entry";
import { OPEN_PALETTE } from "./open-palette";
import { recentEntries, remember } from "./recent-entries";
import { useFoundEntries } from "./use-found-entries";
import { type FormName, useOwnEntries } from "./use-own-entries";
import "./palette.css";

const TITLES: Record<FormName, string> = {
  mission: "new-mission-title",
  launch: "launch-title",
  run: "start-run-title",
};

export function CommandPalette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const formDialog = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const [form, setForm] = useState<FormName | null>(null);
  const show = useCallback(() => {
    if (document.querySelector("dialog[open]") !== null) return;
    flushSync(() => setOpen(true));
    dialog.current?.showModal();
  }, []);
  const showForm = useCallback((name: FormName) => {
    flushSync(() => setForm(name));
    formDialog.current?.showModal();
  }, []);
  usePaletteKey(show, dialog);
  return (
    <>
      <dialog ref={dialog} className="palette" aria-label="Command palette" onClose={() => setOpen(false)}>
        {open && <Palette close={() => dialog.current?.close()} showForm={showForm} />}
      </dialog>
      <dialog ref={formDialog} aria-labelledby={form === null ? undefined : TITLES[form]} onClose={() => setForm(null)}>
        {form !== null && <ChosenForm form={form} close={() => formDialog.current?.close()} />}
      </dialog>
    </>
  );
}

function usePaletteKey(show: () => void, dialog: RefObject<HTMLDialogElement | null>): void {
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      if ((event.target as Element | null)?.closest?.(".xterm") != null) return; // the program in the terminal gets it
      event.preventDefault();
      if (dialog.current?.open) dialog.current.close();
      else show();
    };
    document.addEventListener("keydown", press);
    document.addEventListener(OPEN_PALETTE, show);
    return () => {
      document.removeEventListener("keydown", press);
      document.removeEventListener(OPEN_PALETTE, show);
    };
  }, [show, dialog]);
}

function ChosenForm({ form, close }: { form: FormName; close: () => void }) {
  if (form === "mission") return <NewMissionForm close={close} />;
  return form === "launch" ? <LaunchAnyTaskForm close={close} /> : <StartAnyRunForm close={close} />;
}

interface PaletteProps {
  close: () => void;
  showForm: (form: FormName) => void;
}

function Palette({ close, showForm }: PaletteProps) {
  const navigate = useNavigate();
  const list = useId();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const own = useOwnEntries(showForm);
  const found = useFoundEntries(text);
  const entries = useMemo(() => shownEntries(text, own, found.entries), [text, own, found.entries]);
  const at = Math.min(active, entries.length - 1);
  const choose = (entry: Entry) => {
    close();
    remember(entry);
    entry.act?.();
    if (entry.to !== undefined) void navigate(entry.to);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const next = moved(event.key, at, entries.length);
    if (next !== null) setActive(next);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing && entries[at] !== undefined) choose(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <div className="palette-field">
        <Icon name="search" />
        <input
          type="text"
          role="combobox"
          aria-label="Jump to or do"
          aria-expanded={entries.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={entries[at] === undefined ? undefined : `${list}-${at}`}
          placeholder="Jump to a mission, task, agent, run, page… or type an action"
          autoComplete="off"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the palette is opened to type
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setActive(0);
          }}
          onKeyDown={press}
        />
        <button type="button" className="close-palette" aria-label="Close" title="Close (Esc)" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      <div id={list} role="listbox" aria-label="Matches" className="palette-list">
        {entries.map((entry, place) => (
          <Option
            key={entry.id}
            id={`${list}-${place}`}
            entry={entry}
            active={place === at}
            point={() => setActive(place)}
            choose={() => choose(entry)}
          />
        ))}
      </div>
      <p className="palette-note quiet" role="status">
        {entries.length > 0 ? "" : found.searching ? "Searching…" : "No matches. Try fewer letters."}
      </p>
    </>
  );
}

interface OptionProps {
  id: string;
  entry: Entry;
  active: boolean;
  point: () => void;
  choose: () => void;
}

function Option({ id, entry, active, point, choose }: OptionProps) {
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView?.({ block: "nearest" });
  }, [active]);
  const status = typeof entry.icon === "string" ? null : entry.icon;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
    <div ref={row} id={id} role="option" tabIndex={-1} aria-selected={active} onPointerMove={point} onClick={choose}>
      {status === null ? <Icon name={entry.icon as never} /> : <StatusIcon status={status} decorative />}
      <span className="cut">
        <bdi>{entry.name}</bdi>
        {entry.detail !== undefined && (
          <span className="quiet">
            {" "}
            · <bdi>{entry.detail}</bdi>
          </span>
        )}
      </span>
      <span className="meta">
        {status !== null && entry.kind !== "action" && `${status.word} · `}
        {entry.kind}
      </span>
    </div>
  );
}

/** Return what is shown: recent entries while nothing is typed, otherwise what fits. */
function shownEntries(text: string, own: ReturnType<typeof useOwnEntries>, found: readonly Entry[]): Entry[] {
  const all = [...own.first, ...own.rest];
  if (text.trim() !== "") return merged(fitting(all, text), found, text);
  const plain = own.rest.filter((entry) => entry.detail === undefined && entry.kind !== "setting");
  return [...own.first, ...recentEntries(), ...plain];
}

/** Return the row that a key leads to; null if the key moves nothing. */
function moved(key: string, at: number, count: number): number | null {
  if (count === 0) return null;
  if (key === "ArrowDown") return (at + 1) % count;
  if (key === "ArrowUp") return (at - 1 + count) % count;
  if (key === "PageDown") return Math.min(count - 1, at + 8);
  if (key === "PageUp") return Math.max(0, at - 8);
  return null;
}
