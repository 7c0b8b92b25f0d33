// The runs under way.
import { RunRow } from "@/features/shell/runs/run-row";
import { useLiveRuns } from "@/features/shell/use-overview";
import { Card } from "@/ui/basics";

export function LiveRuns() {
  const runs = useLiveRuns().data?.runs ?? [];
  if (runs.length === 0) return null;
  return (
    <Card title="Runs" count={runs.length}>
      <ul className="lined">
        {runs.map((run) => (
          <RunRow key={run.run_id} run={run} />
        ))}
      </ul>
    </Card>
  );
}
