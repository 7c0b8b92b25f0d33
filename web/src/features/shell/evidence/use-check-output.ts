// The output of a check, read in pieces while it runs and as a whole once it has ended.
import { useEffect, useState } from "react";

import { type ApiError, call } from "@/api/call-tool";

const EVERY = 700;
/** How much of the end is read first, in bytes, and how much is shown at most, in characters. */
const FIRST = 100_000;
const SHOWN = 400_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colors and titles begin with Escape
const STYLES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

export interface CheckOutput {
  text: string;
  /** Whether the beginning is not shown. */
  cut: boolean;
  loaded: boolean;
  error: ApiError | null;
}

const NOTHING: CheckOutput = { text: "", cut: false, loaded: false, error: null };

/** Read the output of a check. While it runs, whole lines are added as they are printed. */
export function useCheckOutput(id: string, running: boolean): CheckOutput {
  const [output, setOutput] = useState(NOTHING);
  useEffect(() => {
    const leave = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let offset = running ? -FIRST : 0;
    const read = async () => {
      let next = EVERY;
      try {
        const piece = await call("evidence_output", { id, offset }, { signal: leave.signal });
        const text = piece.ended && piece.text === "" && !running ? await lastLines(id, leave.signal) : piece.text;
        if (piece.ended) setOutput(shown(text, false));
        else {
          const skipped = piece.left_out > 0 || (offset < 0 && piece.next_offset > FIRST);
          setOutput((before) => shown(before.text + text, before.cut || skipped));
          if (text !== "") next = 100;
          offset = piece.next_offset;
        }
        if (piece.ended && !running) return;
      } catch (error) {
        if (leave.signal.aborted) return;
        setOutput((before) => ({ ...before, loaded: true, error: error as ApiError }));
      }
      timer = setTimeout(read, next);
    };
    setOutput((before) => (running ? NOTHING : before));
    void read();
    return () => {
      leave.abort();
      clearTimeout(timer);
    };
  }, [id, running]);
  return output;
}

function shown(text: string, cut: boolean): CheckOutput {
  return { text: text.slice(-SHOWN), cut: cut || text.length > SHOWN, loaded: true, error: null };
}

/** Return the end of the output that is kept when the rest has been deleted. */
async function lastLines(id: string, signal: AbortSignal): Promise<string> {
  return (await call("evidence_get", { id }, { signal })).output;
}

/** Remove terminal styles, and lines that a carriage return has overwritten. */
export function plainText(text: string): string {
  return text
    .replace(STYLES, "")
    .replace(/\r\n/g, "\n")
    .replace(/[^\n]*\r/g, "");
}
