// The files a task changed, and the diff of the selected one.
import { useMemo } from "react";

import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { FileBrowser, Patch } from "./file-browser";
import { type LineComments, useLineComments } from "./line-comments";
import { parseDiff } from "./parse-diff";

interface ChangedFilesProps {
  id: string;
  /** Changed files outside the task's areas; undefined while that is unknown. */
  outside: readonly string[] | undefined;
  areas: readonly string[];
  /** The open review that comments on lines go with; undefined if nothing is reviewed. */
  review?: string | undefined;
}

export function ChangedFiles({ id, outside = [], areas, review }: ChangedFilesProps) {
  const files = useTool("overview_files", { task_id: id });
  const comments = useLineComments(review ?? "");
  const given = review === undefined ? undefined : comments;
  return (
    <Card
      title="Changed files"
      {...(files.data !== undefined ? { count: files.data.total } : {})}
      aside={<Scope outside={outside} checked={files.data?.final === true && areas.length > 0} />}
      className="task-files"
    >
      <Loaded query={files} what="changed files">
        {(data) =>
          data.files.length === 0 ? (
            <Empty title={data.known ? "No files changed" : "No working tree for this task"}>
              {data.known
                ? "The working tree is the same as at the start."
                : "When a task is started in a repository, Mission Control compares the working tree with its state at the start."}
            </Empty>
          ) : (
            <FileBrowser
              files={data.files}
              outside={outside}
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

function Scope({ outside, checked }: { outside: readonly string[]; checked: boolean }) {
  if (outside.length > 0)
    return (
      <span className="outside">
        <StatusIcon status={QUEUE.blocker!} size={14} decorative /> {outside.length} outside its areas
        {outside.length <= 2 && `: ${outside.join(", ")}`}
      </span>
    );
  return checked ? <>all within its areas</> : null;
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
