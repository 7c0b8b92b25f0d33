import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { DiffLines } from "./diff-lines";
import { useLineComments } from "./line-comments";
import { parseDiff } from "./parse-diff";

const PATCH = "@@ -7,2 +7,2 @@\n same\n-old\n+new\n";

function Review({ id }: { id: string }) {
  return <DiffLines path="src/a.py" lines={parseDiff(PATCH)} comments={useLineComments(id)} />;
}

test("a line gets a comment, which can be removed", () => {
  renderPage(<Review id="q_1" />);
  fireEvent.click(screen.getByRole("button", { name: "Comment on src/a.py:8 (removed)" }));
  const field = screen.getByRole("textbox", { name: "Comment on src/a.py:8 (removed)" });
  fireEvent.change(field, { target: { value: "Why is this gone?" } });
  fireEvent.click(screen.getByRole("button", { name: "Add comment" }));

  expect(screen.getByText("Why is this gone?")).toBeTruthy();
  expect(screen.queryByRole("textbox")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Remove the comment on src/a.py:8 (removed)" }));
  expect(screen.queryByText("Why is this gone?")).toBeNull();
});

test("the lines are one stop of the Tab key, and arrow keys move between them", () => {
  renderPage(<Review id="q_2" />);
  const lines = screen.getAllByRole("button");
  expect(lines.map((line) => line.tabIndex)).toEqual([0, -1, -1]);
  lines[0]!.focus();
  fireEvent.keyDown(lines[0]!, { key: "ArrowDown" });

  expect(document.activeElement).toBe(lines[1]);
});

test("without a review no line can be commented on", () => {
  renderPage(<DiffLines path="src/a.py" lines={parseDiff(PATCH)} />);

  expect(screen.queryAllByRole("button")).toEqual([]);
});
