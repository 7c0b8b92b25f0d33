// Words of any length: what is long shows its beginning, and the rest on a click.
import { useState } from "react";

const SHOWN = 600;

export function Long({ text, most = SHOWN }: { text: string; most?: number }) {
  const [open, setOpen] = useState(false);
  if (text.length <= most * 1.2 || open) return <>{text}</>;
  return (
    <>
      {beginning(text, most)}…{" "}
      <button type="button" className="link more-words" onClick={() => setOpen(true)}>
        Show all
      </button>
    </>
  );
}

/** The first characters; one that is made of several units is not torn apart. */
export function beginning(text: string, most: number): string {
  const cut = text.slice(0, most);
  return /[\uD800-\uDBFF\u200D]$/.test(cut) ? cut.slice(0, -1) : cut;
}
