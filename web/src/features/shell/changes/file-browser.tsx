// A list of changed files next to the diff of the selected one.
import type { ReactNode } from "react";

import { plural } from "@/ui/format";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { StatusIcon } from "@/ui/status/status-icon";
import { DiffLines } from "./diff-lines";
import type { LineComments } from "./line-comments";
import { LineCounts } from "./line-counts";
import { countLines, type PatchLine } from "./parse-diff";
import "./changed-files.css";

const WORDS: Record<string, string> = { A: "added", M: "modified", D: "deleted" };
const SHOWN = 400;
const SHOWN_LINES = 5000;

interface ShownFile {
  path: string;
  how: string;
  lines_added?: number | null;
  lines_removed?: number | null;
  /** Whether it is outside the task's areas. */
  outside?: boolean;
}

interface FileBrowserProps {
  files: readonly ShownFile[];
  /** What to say below the list, if anything. */
  note?: string | null;
  comments?: LineComments | undefined;
  /** Returns the diff of a file. */
  show: (path: string) => ReactNode;
}

export function FileBrowser({ files, note = null, comments, show }: FileBrowserProps) {
  const [address, change] = useUrlFilters();
  const chosen = files.find((file) => file.path === address.get("file")) ?? files[0]!;
  return (
    <div className="file-browser">
      <ul className="pick">
        {files.slice(0, SHOWN).map((file) => (
          <li key={file.path}>
            <button type="button" aria-pressed={file === chosen} onClick={() => change("file", file.path)}>
              <span className={`how how-${file.how}`} title={WORDS[file.how]}>
                {file.how}
              </span>
              <FileName path={file.path} />
              {file.outside === true && (
                <StatusIcon status={{ shape: "triangle", tone: "attention", word: "Outside its areas" }} size={14} />
              )}
              <LineCounts of={file} />
              <CommentCount comments={comments} path={file.path} />
            </button>
          </li>
        ))}
        {note !== null && <li className="meta">{note}</li>}
      </ul>
      <div className="patch" tabIndex={0} role="region" aria-label={`Changes in ${chosen.path}`} data-scrolls>
        {show(chosen.path)}
      </div>
    </div>
  );
}

/** Show a path with its folder set back. */
function FileName({ path }: { path: string }) {
  const name = path.lastIndexOf("/") + 1;
  return (
    <code>
      <span className="quiet">{path.slice(0, name)}</span>
      {path.slice(name)}
    </code>
  );
}

function CommentCount({ comments, path }: { comments: LineComments | undefined; path: string }) {
  const found = comments?.all.filter((comment) => comment.file === path).length ?? 0;
  return found > 0 && <span className="meta">{plural(found, "comment")}</span>;
}

interface PatchProps {
  path: string;
  lines: readonly PatchLine[];
  /** Whether these are all lines. */
  whole: boolean;
  note: string | null;
  comments: LineComments | undefined;
}

export function Patch({ path, lines, whole, note, comments }: PatchProps) {
  const counts = countLines(lines);
  return (
    <>
      <p className="patch-head">
        <code>{path}</code> <span className="plus">+{counts.added}</span>{" "}
        <span className="minus">−{counts.removed}</span>
      </p>
      {note !== null && <p className="side-words">{note}</p>}
      {lines.length === 0 ? (
        whole && <p className="side-words">The file is empty.</p>
      ) : (
        <DiffLines key={path} path={path} lines={lines.slice(0, SHOWN_LINES)} comments={comments} />
      )}
      {((!whole && note === null) || lines.length > SHOWN_LINES) && (
        <p className="side-words">The rest is too long to show.</p>
      )}
    </>
  );
}
