import { expect, test } from "vitest";

import { foldersOf, rowsOf, sumOf } from "./changed-tree";

const by = (task: string, added: number | null, removed: number | null) => ({
  task_id: task,
  task_name: task,
  how: "M",
  added,
  removed,
});

test("a file that a running task changes too is one row, marked as running", () => {
  const rows = rowsOf(
    [{ path: "src/a.py", tasks: [by("one", 3, 1)] }],
    [{ path: "src/a.py", tasks: [by("two", 2, 0)] }],
  );
  expect(rows.map((row) => row.changes.map((each) => [each.task_id, each.running]))).toEqual([
    [
      ["one", false],
      ["two", true],
    ],
  ]);
  expect(sumOf(rows)).toEqual({ added: 5, removed: 1 });
});

test("files are grouped by their folder", () => {
  const rows = rowsOf(
    ["b/x.py", "a.py", "a/c/d.py"].map((path) => ({ path, tasks: [by("one", 1, 1)] })),
    [],
  );
  expect(foldersOf(rows).map(([folder, files]) => [folder, files.map((file) => file.path)])).toEqual([
    ["", ["a.py"]],
    ["a/c", ["a/c/d.py"]],
    ["b", ["b/x.py"]],
  ]);
});

test("unknown lines are unknown and never zero", () => {
  const rows = rowsOf([{ path: "logo.png", tasks: [by("one", null, null)] }], []);
  expect(sumOf(rows)).toEqual({ added: null, removed: null });
  expect(sumOf([])).toEqual({ added: 0, removed: 0 });
});
