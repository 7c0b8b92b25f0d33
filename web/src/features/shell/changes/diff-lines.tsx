// The lines of one file's diff. In a review each line can be commented on.
import { type FormEvent, Fragment, type KeyboardEvent, useRef, useState } from "react";

import { CancelButton, sendOnEnter } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { type LineComment, type LineComments, placeOf } from "./line-comments";
import type { PatchLine } from "./parse-diff";

const SIGNS: Record<string, string> = { added: "+", removed: "−" };
const LINE = ".line-button";

interface DiffLinesProps {
  path: string;
  lines: readonly PatchLine[];
  comments?: LineComments | undefined;
}

export function DiffLines({ path, lines, comments }: DiffLinesProps) {
  const [writing, setWriting] = useState<number | null>(null);
  const [stop, setStop] = useState(() => lines.findIndex((line) => numberOf(line) !== null));
  const table = useRef<HTMLTableElement>(null);
  const close = (index: number) => {
    setWriting(null);
    table.current?.querySelector<HTMLElement>(`[data-line="${index}"]`)?.focus();
  };
  return (
    <table ref={table} onKeyDown={moveBetweenLines}>
      <tbody>
        {lines.map((line, index) => {
          const place = placeIn(path, line);
          const button = comments !== undefined && place !== null && (
            <button
              type="button"
              className="line-button"
              data-line={index}
              tabIndex={index === stop ? 0 : -1}
              aria-label={`Comment on ${placeOf(place)}`}
              onFocus={() => setStop(index)}
              onClick={() => setWriting(index)}
            >
              {place.line}
            </button>
          );
          const removed = line.kind === "removed";
          return (
            <Fragment key={index}>
              <tr className={line.kind}>
                <td className="line-number">{(removed && button) || line.old}</td>
                <td className="line-number">{(!removed && button) || line.new}</td>
                <td className="sign">{SIGNS[line.kind] ?? ""}</td>
                <td className="text">{line.text}</td>
              </tr>
              {place !== null && comments !== undefined && <CommentRows place={place} comments={comments} />}
              {place !== null && comments !== undefined && writing === index && (
                <tr>
                  <td colSpan={4}>
                    <CommentForm place={place} add={comments.add} close={() => close(index)} />
                  </td>
                </tr>
              )}
            </Fragment>
          );
        })}
      </tbody>
    </table>
  );
}

type Place = Omit<LineComment, "text">;

function numberOf(line: PatchLine): number | null {
  return line.kind === "removed" ? line.old : line.new;
}

function placeIn(file: string, line: PatchLine): Place | null {
  const number = numberOf(line);
  return number === null ? null : { file, line: number, removed: line.kind === "removed" };
}

/** Move the focus to the line above or below. */
function moveBetweenLines(event: KeyboardEvent<HTMLTableElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || !target.matches(LINE)) return;
  event.preventDefault();
  const lines = [...event.currentTarget.querySelectorAll<HTMLElement>(LINE)];
  lines[lines.indexOf(target) + step]?.focus();
}

function CommentRows({ place, comments }: { place: Place; comments: LineComments }) {
  return comments.all
    .filter((each) => each.file === place.file && each.line === place.line && each.removed === place.removed)
    .map((comment, index) => (
      <tr key={`${index} ${comment.text}`}>
        <td colSpan={4}>
          <CommentLine comment={comment} remove={() => comments.remove(comment)} />
        </td>
      </tr>
    ));
}

interface CommentLineProps {
  comment: LineComment;
  remove: () => void;
  /** Whether it says which line it is about. */
  placed?: boolean;
}

export function CommentLine({ comment, remove, placed = false }: CommentLineProps) {
  return (
    <div className="line-comment">
      <p>
        {placed && <code>{placeOf(comment)}</code>} {comment.text}
      </p>
      <button
        type="button"
        className="button small"
        aria-label={`Remove the comment on ${placeOf(comment)}`}
        onClick={remove}
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  );
}

interface CommentFormProps {
  place: Place;
  add: (comment: LineComment) => void;
  close: () => void;
}

function CommentForm({ place, add, close }: CommentFormProps) {
  const [text, setText] = useState("");
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() === "") return;
    add({ ...place, text: text.trim() });
    close();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    close();
  };
  return (
    <form className="line-comment-form" onSubmit={save} onKeyDown={leave}>
      <textarea
        className="field"
        rows={2}
        // biome-ignore lint/a11y/noAutofocus: a click on the line asked for this field
        autoFocus
        aria-label={`Comment on ${placeOf(place)}`}
        placeholder="What should change here?"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={sendOnEnter}
      />
      <div className="actions">
        <button type="submit" className="button small" disabled={text.trim() === ""}>
          Add comment
        </button>
        <CancelButton cancel={close} />
      </div>
    </form>
  );
}
