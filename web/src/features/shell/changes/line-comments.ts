// Comments on lines of a diff, kept until the answer to their review is sent with them or the page is closed.
import { useMemo, useSyncExternalStore } from "react";

export interface LineComment {
  file: string;
  line: number;
  /** Whether the line was removed: its number is the old one. */
  removed: boolean;
  text: string;
}

export interface LineComments {
  all: readonly LineComment[];
  add: (comment: LineComment) => void;
  remove: (comment: LineComment) => void;
}

const NONE: readonly LineComment[] = [];
const kept = new Map<string, readonly LineComment[]>();
const watchers = new Set<() => void>();

function watch(notify: () => void): () => void {
  watchers.add(notify);
  return () => void watchers.delete(notify);
}

function keep(review: string, comments: readonly LineComment[]): void {
  kept.set(review, comments);
  for (const notify of watchers) notify();
}

/** Return the comments that go with the answer to this review, and how to change them. */
export function useLineComments(review: string): LineComments {
  const all = useSyncExternalStore(watch, () => kept.get(review) ?? NONE);
  return useMemo(
    () => ({
      all,
      add: (comment) => keep(review, [...all, comment].sort(byPlace)),
      remove: (comment) =>
        keep(
          review,
          all.filter((each) => each !== comment),
        ),
    }),
    [all, review],
  );
}

function byPlace(one: LineComment, other: LineComment): number {
  return one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1;
}

/** Return `src/a.py:12`. */
export function placeOf({ file, line, removed }: Omit<LineComment, "text">): string {
  return `${file}:${line}${removed ? " (removed)" : ""}`;
}

/** Return the comments as a text: `src/a.py:12 — Say why`, one on each line. */
export function describeComments(comments: readonly LineComment[]): string {
  return comments.map((comment) => `${placeOf(comment)} — ${comment.text}`).join("\n");
}
