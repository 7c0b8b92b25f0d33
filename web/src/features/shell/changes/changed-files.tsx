// The files a task changed, and the diff of the selected one.
import { useMemo } from "react";

import type { TaskFiles } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { count } from "@/ui/format";
import { Loaded } from "@/ui/query-states";
import { QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { FileBrowser, Patch } from "./file-browser";
import { type LineComments, useLineComments } from "./line-comments";
import { LineCounts } from "./line-counts";
import { parseDiff } from "./parse-diff";

interface ChangedFilesProps {
  id: string;
  areas: readonly string[];
  /** The open review that comments on lines go with; undefined if nothing is reviewed. */
  review?: string | undefined;
}

export function ChangedFiles({ id, areas, review }: ChangedFilesProps) {
  const files = useTool("overview_files", { task_id: id });
  const comments = useLineComments(review ?? "");
  const given = review === undefined ? undefined : comments;
  return (
    <Card
      title={
        <>
          Changed files{" "}
          {files.data !== undefined && (
            <span className="count">
              {count(files.data.total)} <LineCounts of={files.data} />
            </span>
          )}
        </>
      }
      aside={files.data !== undefined && <Scope files={files.data} areas={areas} />}
      className="task-files"
    >
      <Loaded query={files} what="changed files">
        {(data) =>
          data.files.length === 0 ? (
            <p className="side-words">
              {data.known
                ? "No files changed. The working tree is the same as at the start."
                : "No working tree for this task. When a task is started in a repository, its changes appear here."}
            </p>
          ) : (
            <FileBrowser
              files={data.files}
              note={data.final ? null : "current state of the working tree"}
              comments={given}
              show={(path) => <FileDiff id={id} path={path} comments={given} />}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function Scope({ files, areas }: { files: TaskFiles; areas: readonly string[] }) {
  const outside = files.files.filter((file) => file.outside).map((file) => file.path);
  if (files.outside > 0)
    return (
      <span className="outside">
        <StatusIcon status={QUEUE.blocker!} size={14} decorative /> {count(files.outside)} outside its areas
        {files.outside <= 2 && `: ${outside.join(", ")}`}
      </span>
    );
  return areas.length > 0 && files.total > 0 ? <>all within its areas</> : null;
}

interface FileDiffProps {
  id: string;
  path: string;
  comments: LineComments | undefined;
}

function FileDiff({ id, path, comments }: FileDiffProps) {
  const found = useTool("overview_diff", { task_id: id, path });
  const lines = useMemo(() => parseDiff(found.data?.patch ?? ""), [found.data]);
  return (
    <Loaded query={found} what="the diff">
      {(data) => <Patch path={path} lines={lines} whole={data.whole} note={data.note} comments={comments} />}
    </Loaded>
  );
}
