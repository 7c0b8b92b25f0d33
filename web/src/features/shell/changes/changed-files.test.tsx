import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { ChangedFiles } from "./changed-files";

const FILES = {
  files: [
    { path: "src/a.py", how: "M", lines_added: 3, lines_removed: 1, outside: false },
    { path: "notes.txt", how: "A", lines_added: 2, lines_removed: 0, outside: true },
  ],
  total: 2,
  lines_added: 5,
  lines_removed: 1,
  outside: 1,
  known: true,
  final: true,
};

test("a file outside the areas is marked, and the selected file shows its diff", async () => {
  const { called, address } = renderPage(<ChangedFiles id="t_1" areas={["src"]} />, {
    overview_files: FILES,
    overview_diff: ({ path }: { path: string }) => ({
      patch: `@@ -1 +1 @@\n-old ${path}\n+new ${path}\n`,
      whole: true,
      note: null,
    }),
  });
  await screen.findByText("new src/a.py");
  expect(screen.getByText(/1 outside its areas: notes.txt/)).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Changed files 2 +5 −1" })).toBeTruthy();
  expect(screen.getByRole("button", { name: /notes.txt/ }).textContent).toContain("+2");
  fireEvent.click(screen.getByRole("button", { name: /notes.txt/ }));

  expect(await screen.findByText("new notes.txt")).toBeTruthy();
  expect(address()).toBe("/?file=notes.txt");
  expect(called("overview_diff").map(({ path }) => path)).toEqual(["src/a.py", "notes.txt"]);
});

test("a task without a working tree says so", async () => {
  renderPage(<ChangedFiles id="t_1" areas={[]} />, {
    overview_files: { ...FILES, files: [], total: 0, outside: 0, known: false, final: false },
  });

  expect(await screen.findByText(/No working tree for this task/)).toBeTruthy();
});
