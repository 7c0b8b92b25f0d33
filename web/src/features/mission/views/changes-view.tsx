// The files that the mission's tasks changed, with those tasks.
import { useMemo, useState } from "react";

import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { plural } from "@/ui/format";
import { Empty, Loaded } from "@/ui/query-states";
import type { ViewProps } from "../view-props";

const SHOWN = 300;
const WORDS: Record<string, string> = { A: "added", M: "modified", D: "deleted", R: "renamed" };

export function ChangesView({ mission, choose }: ViewProps) {
  const changes = useTool("overview_changes", { mission_id: mission.id });
  const [text, setText] = useState("");
  const files = useMemo(
    () => (changes.data?.files ?? []).filter((file) => file.path.toLowerCase().includes(text.toLowerCase())),
    [changes.data, text],
  );
  return (
    <Card
      title="Changed files"
      count={changes.data?.files.length ?? 0}
      className="changes"
      aside={
        <input
          className="field"
          type="search"
          aria-label="Filter files"
          placeholder="Filter files"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      }
    >
      <Loaded query={changes} what="changed files">
        {(data) =>
          data.files.length === 0 ? (
            <Empty title="No files changed">
              When a task is completed, Mission Control compares its working tree with a snapshot taken when the task
              started.
            </Empty>
          ) : (
            <ul>
              {files.slice(0, SHOWN).map((file) => (
                <li key={file.path}>
                  <span className={`how how-${file.tasks.at(-1)!.how}`} title={WORDS[file.tasks.at(-1)!.how]}>
                    {file.tasks.at(-1)!.how}
                  </span>
                  <code className="path">{file.path}</code>
                  <span className="by">
                    {file.tasks.map((by) => (
                      <button key={by.task_id} type="button" className="link meta" onClick={() => choose(by.task_id)}>
                        {by.task_name}
                      </button>
                    ))}
                  </span>
                </li>
              ))}
              {files.length > SHOWN && (
                <li className="meta">{plural(files.length - SHOWN, "more file")}; use the filter to find a file</li>
              )}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}
