// What a review is about in one line, and the first lines of the diff.
import { useMemo } from "react";
import { Link } from "react-router";

import { useTool } from "@/api/use-tool";
import { LineCounts } from "@/ui/basics";
import { plural } from "@/ui/format";
import { DiffLines } from "../changes/diff-lines";
import { parseDiff } from "../changes/parse-diff";

const SHOWN_LINES = 8;

/** Show `2 files +13 −0 · 1 outside its areas`, the first hunk, and a link to the whole diff. */
export function ReviewSummary({ taskId }: { taskId: string }) {
  const found = useTool("overview_files", { task_id: taskId }).data;
  if (found === undefined || !found.known) return null;
  return (
    <div className="review-summary">
      <p>
        <strong>{plural(found.total, "file")}</strong>{" "}
        <LineCounts of={{ added: found.lines_added, removed: found.lines_removed }} />
        {found.outside > 0 && <span className="tone-attention tag">{found.outside} outside its areas</span>}
        <Link to={`/tasks/${taskId}`}>Open diff</Link>
      </p>
      {found.files[0] !== undefined && <FirstHunk taskId={taskId} path={found.files[0].path} />}
    </div>
  );
}

function FirstHunk({ taskId, path }: { taskId: string; path: string }) {
  const diff = useTool("overview_diff", { task_id: taskId, path });
  const lines = useMemo(() => parseDiff(diff.data?.patch ?? "").slice(0, SHOWN_LINES), [diff.data]);
  if (lines.length === 0) return null;
  return (
    <div className="patch first-hunk" tabIndex={0} role="group" aria-label={`First changes in ${path}`} data-scrolls>
      <p className="patch-head">
        <code>{path}</code>
      </p>
      <DiffLines path={path} lines={lines} />
    </div>
  );
}
