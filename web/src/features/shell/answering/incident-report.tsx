// A failure that was reported to you: its first sentence, and the rest folded, ready to be copied.
import { useState } from "react";

const SENTENCE_END = /[.!?](?=\s|$)|\n/;

/** Return the first sentence of a text, and what follows it. */
export function firstSentence(text: string): [string, string] {
  const end = SENTENCE_END.exec(text);
  if (end === null) return [text.trim(), ""];
  const at = end.index + (end[0] === "\n" ? 0 : 1);
  return [text.slice(0, at).trim(), text.slice(at).trim()];
}

export function IncidentReport({ subject, text }: { subject: string; text: string }) {
  const [copied, setCopied] = useState(false);
  const [first, rest] = firstSentence(text);
  const copy = async () => {
    await navigator.clipboard.writeText(`${subject}\n\n${text}`);
    setCopied(true);
  };
  return (
    <>
      <p className="item-text">{first}</p>
      {rest !== "" && (
        <details className="incident">
          <summary>Details</summary>
          <pre className="text" tabIndex={0}>
            {rest}
          </pre>
        </details>
      )}
      {navigator.clipboard !== undefined && (
        <button type="button" className="button small" onClick={() => void copy()}>
          {copied ? "Copied" : "Copy report"}
        </button>
      )}
    </>
  );
}
