// A card with the last lines of an execution's terminal, live, and a link to the whole of it.
import type { ReactNode } from "react";
import { Link } from "react-router";

import { Card } from "@/ui/basics";
import { LastLinesView, useLastLines } from "./last-lines-view";

interface LastOutputProps {
  executionId: string;
  title: ReactNode;
  lines?: number;
}

export function LastOutputCard({ executionId, title, lines: count }: LastOutputProps) {
  const shown = useLastLines(executionId, true, count);
  return (
    <Card title={title} aside={<Link to={`/executions/${executionId}`}>Open terminal</Link>} className="last-lines">
      <pre tabIndex={0} className="tail">
        <LastLinesView lines={shown.lines} loaded={shown.loaded} />
      </pre>
    </Card>
  );
}
