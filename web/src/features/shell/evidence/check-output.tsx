// What a check printed. It follows the end while the check runs, unless somebody has scrolled up.
import { useLayoutEffect, useMemo, useRef } from "react";

import { ErrorMessage } from "@/ui/form";
import { Skeleton } from "@/ui/query-states";
import { plainText, useCheckOutput } from "./use-check-output";

const NEAR = 24;

interface CheckOutputProps {
  id: string;
  name: string;
  running: boolean;
}

export function CheckOutputView({ id, name, running }: CheckOutputProps) {
  const { text, cut, loaded, error } = useCheckOutput(id, running);
  const lines = useMemo(() => plainText(text), [text]);
  const box = useRef<HTMLPreElement>(null);
  const follows = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines move the end
  useLayoutEffect(() => {
    if (box.current !== null && follows.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const noteScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    follows.current = scrollHeight - scrollTop - clientHeight < NEAR;
  };
  if (!loaded) return <Skeleton rows={1} />;
  return (
    <>
      <ErrorMessage error={error} what="Could not load the output" />
      <pre
        ref={box}
        className="check-output"
        tabIndex={0}
        role="region"
        aria-label={`Output of ${name}`}
        data-scrolls
        onScroll={noteScroll}
      >
        {cut && <span className="meta">The beginning is not shown.{"\n"}</span>}
        {lines === "" ? <span className="meta">{running ? "No output yet" : "No output"}</span> : lines}
      </pre>
    </>
  );
}
