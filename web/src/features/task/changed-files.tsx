// The files a task changed, and the diff of the selected one.
import { useMemo } from "react";
import { useSearchParams } from "react-router";

import type { TaskFile, TaskStory } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { QUEUE } from "@/ui/status/status";
import { StatusIcon } from "@/ui/status/status-icon";
import { countLines, parseDiff } from "./parse-diff";

const WORDS: Record<string, string> = { A: "added", M: "modified", D: "deleted" };
const SHOWN = 400;
const SHOWN_LINES = 5000;

export function ChangedFiles({ id, story }: { id: string; story: TaskStory | undefined }) {
  const files = useTool("overview_files", { task_id: id });
  const outside = story?.scope?.unexpected_files ?? [];
  return (
    <Card
      title="Changed files"
      {...(files.data !== undefined ? { count: files.data.total } : {})}
      aside={<Scope outside={outside} checked={story?.scope != null && (story?.areas.length ?? 0) > 0} />}
      className="task-files"
    >
      <Loaded query={files} what="changed files">
        {(data) =>
          data.files.length === 0 ? (
            <Empty title={data.known ? "No files changed" : "No working tree for this task"}>
              {data.known
                ? "The working tree is the same as at the start."
                : "If a task is started in a repository, Mission Control compares the working tree with its state at the start."}
            </Empty>
          ) : (
            <FileBrowser id={id} files={data.files} outside={outside} final={data.final} />
          )
        }
      </Loaded>
    </Card>
  );
}

function Scope({ outside, checked }: { outside: string[]; checked: boolean }) {
  if (outside.length > 0)
    return (
      <span className="outside">
        <StatusIcon status={QUEUE.blocker!} size={14} decorative /> {outside.length} outside its areas
        {outside.length <= 2 && `: ${outside.join(", ")}`}
      </span>
    );
  return checked ? <>all within its areas</> : null;
}

interface FileBrowserProps {
  id: string;
  files: TaskFile[];
  outside: string[];
  final: boolean;
}

function FileBrowser({ id, files, outside, final }: FileBrowserProps) {
  const [address, setAddress] = useSearchParams();
  const named = address.get("file");
  const chosen = files.find((file) => file.path === named) ?? files[0]!;
  return (
    <div className="file-browser">
      <ul className="pick">
        {files.slice(0, SHOWN).map((file) => (
          <li key={file.path}>
            <button
              type="button"
              aria-pressed={file === chosen}
              onClick={() => setAddress({ file: file.path }, { replace: true })}
            >
              <span className={`how how-${file.how}`} title={WORDS[file.how]}>
                {file.how}
              </span>
              <code>{file.path}</code>
              {outside.includes(file.path) && <span className="meta">outside</span>}
            </button>
          </li>
        ))}
        {!final && <li className="meta">current state of the working tree</li>}
      </ul>
      <FileDiff id={id} path={chosen.path} />
    </div>
  );
}

function FileDiff({ id, path }: { id: string; path: string }) {
  const found = useTool("overview_diff", { task_id: id, path });
  const lines = useMemo(() => parseDiff(found.data?.patch ?? ""), [found.data]);
  const counts = countLines(lines);
  return (
    <div className="patch" tabIndex={0} role="region" aria-label={`Changes in ${path}`} data-scrolls>
      <Loaded query={found} what="the diff">
        {(data) => (
          <>
            <p className="patch-head">
              <code>{path}</code> <span className="plus">+{counts.added}</span>{" "}
              <span className="minus">−{counts.removed}</span>
            </p>
            {data.note !== null && <p className="side-words">{data.note}</p>}
            {lines.length === 0 ? (
              data.whole && <p className="side-words">The file is empty.</p>
            ) : (
              <table>
                <tbody>
                  {lines.slice(0, SHOWN_LINES).map((line, index) => (
                    <tr key={index} className={line.kind}>
                      <td className="line-number">{line.old}</td>
                      <td className="line-number">{line.new}</td>
                      <td className="sign">{line.kind === "added" ? "+" : line.kind === "removed" ? "−" : ""}</td>
                      <td className="text">{line.text}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            {((!data.whole && data.note === null) || lines.length > SHOWN_LINES) && (
              <p className="side-words">The rest is too long to be shown.</p>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}
