// Parts of a form: its end with the refusal and the buttons, fields that several forms have, keys that send.
import { useState, type KeyboardEvent, type ReactNode } from "react";

import { reasonOf } from "@/api/call-tool";

interface RefusalProps {
  /** What went wrong, in the server's words or in ours. */
  error: Error | string | null;
  /** What did not happen, where the words before it do not say so. */
  what?: string;
}

/** Why something was not done and what to do about it; nothing while all is well. */
export function Refusal({ error, what }: RefusalProps) {
  if (error === null || error === "") return null;
  return (
    <p className="error" role="alert">
      {what !== undefined && `${what}: `}
      {typeof error === "string" ? error : reasonOf(error)}
    </p>
  );
}

interface FormEndProps {
  /** What happens, as the button says it. */
  act: string;
  off: boolean;
  error: Error | string | null;
  /** Closes the form undone, where it can be closed. */
  leave?: () => void;
}

export function FormEnd({ act, off, error, leave }: FormEndProps) {
  return (
    <>
      <Refusal error={error} />
      <div className="actions">
        <button className="button primary" disabled={off}>
          {act}
        </button>
        {leave !== undefined && <Leave leave={leave} />}
      </div>
    </>
  );
}

export function Leave({ leave }: { leave: () => void }) {
  return (
    <button type="button" className="button" onClick={leave}>
      Leave it
    </button>
  );
}

interface FieldProps {
  label: ReactNode;
  value: string;
  change: (value: string) => void;
}

/** A folder of the machine on which Mission Control runs. */
export function FolderField({ label, value, change }: FieldProps) {
  return (
    <label>
      {label}
      <input className="field mono" value={value} placeholder="/home/you/project" onChange={(event) => change(event.target.value)} />
    </label>
  );
}

/** A field's name, and that it may stay empty. */
export function Optional({ children, when = true }: { children: ReactNode; when?: boolean }) {
  return (
    <span>
      {children} {when && <span className="meta">optional</span>}
    </span>
  );
}

interface SelectProps extends FieldProps {
  /** What stands for no choice. */
  none: string;
  of: readonly { id: string; name: string }[];
}

/** One of several things that have a name. */
export function SelectField({ label, value, change, none, of }: SelectProps) {
  return (
    <label>
      {label}
      <select className="field" value={value} onChange={(event) => change(event.target.value)}>
        <option value="">{none}</option>
        {of.map((each) => (
          <option key={each.id} value={each.id}>
            {each.name}
          </option>
        ))}
      </select>
    </label>
  );
}

interface SureProps {
  word: string;
  /** What the button says when it asks once more. */
  again: string;
  off: boolean;
  title: string;
  act: () => void;
  small?: boolean;
}

/** A button that asks once more before it does what cannot be undone; looking elsewhere is a no. */
export function SureButton({ word, again, off, title, act, small = false }: SureProps) {
  const [asked, ask] = useState(false);
  return (
    <button
      type="button"
      className={`button danger${small ? " small" : ""}`}
      title={title}
      disabled={off}
      onClick={() => (asked ? act() : ask(true))}
      onBlur={() => ask(false)}
    >
      {asked ? again : word}
    </button>
  );
}

/** In a field of several lines: Enter sends, Shift+Enter begins a line. */
export function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
