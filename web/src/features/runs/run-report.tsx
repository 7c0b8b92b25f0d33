// The report of a run that has ended, and a button that saves it.
import type { RunDetail } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { Loaded } from "@/ui/query-states";
import { saveFile } from "@/ui/save-file";
import { Markdown } from "./markdown";

export function ReportCard({ run }: { run: RunDetail }) {
  const report = useTool("run_report", { run_id: run.run_id });
  const text = report.data?.markdown ?? "";
  return (
    <Card
      title="Report"
      className="run-report"
      aside={
        text !== "" && (
          <button
            type="button"
            className="button small"
            onClick={() => saveFile(new Blob([text], { type: "text/markdown" }), `${run.run_id}.md`)}
          >
            Save as Markdown
          </button>
        )
      }
    >
      <Loaded query={report} what="the report">
        {() => (text === "" ? <p className="side-words">This run has no report.</p> : <Markdown text={text} />)}
      </Loaded>
    </Card>
  );
}
