// Parts of forms: the footer with error and buttons, shared fields, confirmation, Enter to send.
import { type KeyboardEvent, type ReactNode, useState } from "react";

import { reasonOf } from "@/api/call-tool";

interface ErrorMessageProps {
  /** What went wrong: an error of the server, or a text. */
  error: Error | string | null;
  /** What failed, if the context does not say so. */
  what?: string;
}

/** Show why an action failed and what to do; nothing if there is no error. */
export function ErrorMessage({ error, what }: ErrorMessageProps) {
  if (error === null || error === "") return null;
  return (
    <p className="error" role="alert">
      {what !== undefined && `${what}: `}
      {typeof error === "string" ? error : reasonOf(error)}
    </p>
  );
}

interface FormFooterProps {
  /** The label of the submit button. */
  act: string;
  off: boolean;
  error: Error | string | null;
  /** Closes the form without saving, if it can be closed. */
  cancel?: () => void;
}

export function FormFooter({ act, off, error, cancel }: FormFooterProps) {
  return (
    <>
      <ErrorMessage error={error} />
      <div className="actions">
        <button type="submit" className="button primary" disabled={off}>
          {act}
        </button>
        {cancel !== undefined && <CancelButton cancel={cancel} />}
      </div>
    </>
  );
}

export function CancelButton({ cancel, word = "Cancel" }: { cancel: () => void; word?: string }) {
  return (
    <button type="button" className="button" onClick={cancel}>
      {word}
    </button>
  );
}

interface FieldProps {
  label: ReactNode;
  value: string;
  change: (value: string) => void;
}

/** The required name of something new. */
export function NameField({ value, change }: Omit<FieldProps, "label">) {
  return (
    <label>
      Name
      <input
        className="field"
        value={value}
        maxLength={200}
        required
        onChange={(event) => change(event.target.value)}
      />
    </label>
  );
}

/** A field for text of several lines. */
export function TextField({ label, value, change, rows }: FieldProps & { rows: number }) {
  return (
    <label>
      {label}
      <textarea className="field" rows={rows} value={value} onChange={(event) => change(event.target.value)} />
    </label>
  );
}

/** A folder on the machine that runs Mission Control. */
export function FolderField({ label, value, change }: FieldProps) {
  return (
    <label>
      {label}
      <input
        className="field mono"
        value={value}
        placeholder="/home/you/project"
        onChange={(event) => change(event.target.value)}
      />
    </label>
  );
}

/** A field's label, marked as optional. */
export function OptionalLabel({ children, when = true }: { children: ReactNode; when?: boolean }) {
  return (
    <span>
      {children} {when && <span className="meta">optional</span>}
    </span>
  );
}

interface SelectProps extends FieldProps {
  /** The text for no choice. */
  none: string;
  of: readonly { id: string; name: string }[];
}

/** A choice between things that have a name. */
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

interface ConfirmButtonProps {
  word: string;
  /** The label while it asks for confirmation. */
  again: string;
  off: boolean;
  title: string;
  act: () => void;
  small?: boolean;
}

/** A button that asks for confirmation. It stops asking when it loses the focus. */
export function ConfirmButton({ word, again, off, title, act, small = false }: ConfirmButtonProps) {
  const [asking, setAsking] = useState(false);
  return (
    <button
      type="button"
      className={`button danger${small ? " small" : ""}`}
      title={title}
      disabled={off}
      onClick={() => (asking ? act() : setAsking(true))}
      onBlur={() => setAsking(false)}
    >
      {asking ? again : word}
    </button>
  );
}

/** Send a multi-line field on Enter; Shift+Enter starts a new line. */
export function sendOnEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
