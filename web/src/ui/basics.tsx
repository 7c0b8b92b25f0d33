// Small parts that every page uses: times, cards, tabs of a view, ids that copy themselves.
import { useState, type ReactNode } from "react";

import { serverNow, useNow } from "./hooks/use-server-clock";
import { ago, clockTime } from "./format";

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {clockTime(at, serverNow())}
    </time>
  );
}

/** `3 s ago`, counting. */
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

/** A surface with a heading; the heading names the region. */
export function Card({ title, count, aside, children, className = "" }: CardProps) {
  return (
    <section className={`card ${className}`}>
      <header className="card-head">
        <h2>
          {title}
          {count !== undefined && <span className="count"> {count}</span>}
        </h2>
        {aside !== undefined && <div className="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** An id in whole, or something else to be copied; a click copies it where the browser lets us. */
export function Id({ id, what = "id" }: { id: string; what?: string }) {
  const [copied, setCopied] = useState(false);
  if (navigator.clipboard === undefined) return <code className="id">{id}</code>;
  const copy = async () => {
    await navigator.clipboard.writeText(id);
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <button type="button" className="id" title={copied ? "Copied" : `Copy this ${what}`} onClick={() => void copy()}>
      {id}
      {copied && <span className="meta"> copied</span>}
    </button>
  );
}

/** New rows that wait, so that nothing moves under pointer or focus. */
export function Fresh({ count, show }: { count: number; show: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" className="fresh" onClick={show}>
      {count} new, show
    </button>
  );
}

/** The next rows of a list that goes further back than it shows. */
export function Older({ show }: { show: (() => void) | undefined }) {
  if (show === undefined) return null;
  return (
    <button type="button" className="button older" onClick={show}>
      Show older ones
    </button>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [Value, ReactNode])[];
  value: Value;
  choose: (value: Value) => void;
}

/** A row of options of which one holds. */
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
