// Small components that every page uses: times, cards, ids, buttons for lists, segmented controls.
import { type ReactNode, useState } from "react";

import { ago, clockTime, count as formatCount } from "./format";
import { serverNow, useNow } from "./hooks/use-server-clock";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {clockTime(at, serverNow())}
    </time>
  );
}

/** Show `3 s ago`, updated every second. */
export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={at}>
      {ago(at, now)}
    </time>
  );
}

interface CardProps {
  title: ReactNode;
  count?: number;
  aside?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** Show a card with a heading. */
export function Card({ title, count, aside, children, className = "" }: CardProps) {
  return (
    <section className={`card ${className}`}>
      <header className="card-head">
        <h2>
          {title}
          {count !== undefined && <span className="count"> {formatCount(count)}</span>}
        </h2>
        {aside !== undefined && <div className="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Return whether the text was copied just now, and an action that copies it; null where the browser forbids it. */
function useCopy(text: string): { copied: boolean; copy: (() => Promise<void>) | null } {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return { copied, copy: null };
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return { copied, copy };
}

/** Show an id or a path that a click copies, where the browser allows it. */
export function CopyableId({ id, what = "id" }: { id: string; what?: string }) {
  const { copied, copy } = useCopy(id);
  if (copy === null) return <code className="id">{id}</code>;
  return (
    <button type="button" className="id" title={copied ? "Copied" : `Copy this ${what}`} onClick={() => void copy()}>
      {id}
      {copied && <span className="meta"> copied</span>}
    </button>
  );
}

/** Show a command to run in a shell, with a button that copies it. */
export function CopyableCommand({ command }: { command: string }) {
  const { copied, copy } = useCopy(command);
  return (
    <div className="command">
      <code>{command}</code>
      {copy !== null && (
        <button type="button" className="button small" onClick={() => void copy()}>
          {copied ? "Copied" : "Copy"}
        </button>
      )}
    </div>
  );
}

/** Offer new rows that are held back so that nothing moves under the pointer or the focus. */
export function ShowNewButton({ count, show }: { count: number; show: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" className="fresh" onClick={show}>
      Show {count} new
    </button>
  );
}

/** Offer the next page of older rows; nothing if there is none. */
export function ShowOlderButton({ show }: { show: (() => void) | undefined }) {
  if (show === undefined) return null;
  return (
    <button type="button" className="button older" onClick={show}>
      Show older
    </button>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [Value, ReactNode])[];
  value: Value;
  choose: (value: Value) => void;
}

/** Show a row of options, one of which is selected. */
export function Segmented<Value extends string>({ label, options, value, choose }: ChoiceProps<Value>) {
  return (
    <div className="segmented" role="group" aria-label={label}>
      {options.map(([option, words]) => (
        <button key={option} type="button" aria-pressed={option === value} onClick={() => choose(option)}>
          {words}
        </button>
      ))}
    </div>
  );
}

/** Show `+412 −88`; unknown lines as such. */
export function LineCounts({ of }: { of: { added: number | null; removed: number | null } }) {
  if (of.added === null || of.removed === null) return <span className="line-counts meta">lines unknown</span>;
  return (
    <span className="line-counts">
      <span className="plus">+{formatCount(of.added)}</span> <span className="minus">−{formatCount(of.removed)}</span>
    </span>
  );
}
