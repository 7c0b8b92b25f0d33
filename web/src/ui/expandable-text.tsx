// Shows the beginning of a long text, and the rest on a click.
import { useState } from "react";

const SHOWN = 600;

export function ExpandableText({ text, maxLength = SHOWN }: { text: string; maxLength?: number }) {
  const [open, setOpen] = useState(false);
  if (text.length <= maxLength * 1.2 || open) return <>{text}</>;
  return (
    <>
      {beginning(text, maxLength)}…{" "}
      <button type="button" className="link more-words" onClick={() => setOpen(true)}>
        Show all
      </button>
    </>
  );
}

/** Return the first characters without splitting one that consists of several code units. */
export function beginning(text: string, maxLength: number): string {
  const cut = text.slice(0, maxLength);
  return /[\uD800-\uDBFF\u200D]$/.test(cut) ? cut.slice(0, -1) : cut;
}
