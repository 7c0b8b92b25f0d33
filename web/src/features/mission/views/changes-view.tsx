// What the mission changed: a tree of files with their lines, by task, and the diff of the selected file.
import { useMemo, useState } from "react";

import type { ChangedBy } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Patch } from "@/features/shell/changes/file-browser";
import { parseDiff } from "@/features/shell/changes/parse-diff";
import { useRunningChanges } from "@/features/shell/changes/use-running-changes";
import { Card, LineCounts } from "@/ui/basics";
import { plural } from "@/ui/format";
import { Empty, Loaded } from "@/ui/query-states";
import { TASK } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import type { ViewProps } from "../view-props";
import { type FileRow, foldersOf, rowsOf, sumOf } from "./changed-tree";

const SHOWN = 400;
const WORDS: Record<string, string> = { A: "added", M: "modified", D: "deleted", R: "renamed" };

export function ChangesView({ mission, choose }: ViewProps) {
  const stored = useTool("overview_changes", { mission_id: mission.id });
  const running = useRunningChanges(mission);
  const [text, setText] = useState("");
  const [task, setTask] = useState("");
  const [open, setOpen] = useState<string | null>(null);
  const all = useMemo(() => rowsOf(stored.data?.files ?? [], running.data?.files ?? []), [stored.data, running.data]);
  const rows = useMemo(
    () =>
      all
        .map((row) => (task === "" ? row : { ...row, changes: row.changes.filter((each) => each.task_id === task) }))
        .filter((row) => row.changes.length > 0 && row.path.toLowerCase().includes(text.toLowerCase())),
    [all, text, task],
  );
  const tasks = new Map(all.flatMap((row) => row.changes.map((each) => [each.task_id, each.task_name] as const)));
  return (
    <Card
      title="Changed files"
      count={rows.length}
      className="changes"
      aside={
        <div className="actions">
          <LineCounts of={sumOf(rows)} />
          <select className="field" aria-label="Task" value={task} onChange={(event) => setTask(event.target.value)}>
            <option value="">All tasks</option>
            {[...tasks].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          <input
            className="field"
            type="search"
            aria-label="Filter files"
            placeholder="Filter files"
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        </div>
      }
    >
      <Loaded query={stored} what="changed files">
        {() =>
          all.length === 0 ? (
            <Empty title="No files changed">
              When a task is completed, Mission Control compares its working tree with a snapshot taken when the task
              started. Worktrees in which agents are still working are compared too.
            </Empty>
          ) : (
            <>
              {(running.data?.trees_left_out ?? 0) > 0 && (
                <p className="meta note">
                  {plural(running.data!.trees_left_out, "worktree")} of running tasks could not be compared.
                </p>
              )}
              {foldersOf(rows.slice(0, SHOWN)).map(([folder, files]) => (
                <details key={folder} open className="folder">
                  <summary>
                    <code>{folder === "" ? "./" : `${folder}/`}</code> <LineCounts of={sumOf(files)} />
                  </summary>
                  <ul>
                    {files.map((row) => (
                      <File
                        key={row.path}
                        row={row}
                        open={open === row.path}
                        toggle={() => setOpen(open === row.path ? null : row.path)}
                        choose={choose}
                      />
                    ))}
                  </ul>
                </details>
              ))}
              {rows.length > SHOWN && (
                <p className="meta note">{plural(rows.length - SHOWN, "more file")}; use the filters to find a file</p>
              )}
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface FileProps {
  row: FileRow;
  open: boolean;
  toggle: () => void;
  choose: (task: string) => void;
}

function File({ row, open, toggle, choose }: FileProps) {
  const last = row.changes.at(-1)!;
  return (
    <li>
      <div className="changed-file">
        <span className={`how how-${last.how}`} title={WORDS[last.how]}>
          {last.how}
        </span>
        <button type="button" className="link path" aria-expanded={open} onClick={toggle}>
          <code>{row.path.split("/").at(-1)}</code>
        </button>
        <span className="by">
          {row.changes.map((change) => (
            <button
              key={`${change.task_id} ${change.running}`}
              type="button"
              className="link meta"
              onClick={() => choose(change.task_id)}
            >
              {change.running && <StatusIcon status={{ ...TASK.working!, word: "Running" }} size={12} />}{" "}
              {change.task_name}
            </button>
          ))}
        </span>
        <LineCounts of={sumOf([row])} />
      </div>
      {open &&
        row.changes.map((change) => (
          <FileDiff key={`${change.task_id} ${change.running}`} path={row.path} change={change} />
        ))}
    </li>
  );
}

function FileDiff({ path, change }: { path: string; change: ChangedBy & { running: boolean } }) {
  const diff = useTool("overview_diff", { task_id: change.task_id, path });
  return (
    <section className="file-diff" aria-label={`${path} in ${change.task_name}`}>
      <p className="meta">
        {change.task_name}
        {change.running ? " · running: from its start to now" : " · as stored at its end"}
      </p>
      <Loaded query={diff} what="the diff" rows={2}>
        {(data) => (
          <div className="patch" tabIndex={0} role="region" aria-label={`Changes in ${path}`} data-scrolls>
            <Patch path={path} lines={parseDiff(data.patch)} whole={data.whole} note={data.note} comments={undefined} />
          </div>
        )}
      </Loaded>
    </section>
  );
}
