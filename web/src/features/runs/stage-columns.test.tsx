import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run, runTask } from "@/testing/samples";
import { noteServerTime } from "@/ui/hooks/use-server-clock";
import { StageColumns } from "./stage-columns";

const column = (name: RegExp) => screen.getByRole("heading", { name }).closest("section")!;

test("tasks are in the column of their stage; only stages off the usual way are left out when empty", () => {
  const tasks = [
    runTask({ task_id: "t_1", name: "Sort", stage: "working", execution_id: "x_1", reason: "codex works on it." }),
    runTask({ task_id: "t_2", name: "Wash", stage: "asking", reason: "How hot?" }),
  ];
  renderPage(<StageColumns run={run({ tasks })} />);

  expect(screen.getAllByRole("heading").map((heading) => heading.textContent)).toEqual([
    "Waiting 0",
    "Working 1",
    "Checking 0",
    "Review 0",
    "Merging 0",
    "Merged 0",
    "Asks you 1",
  ]);
  expect(
    within(column(/Working/))
      .getByRole("link", { name: "Terminal" })
      .getAttribute("href"),
  ).toBe("/executions/x_1");
  expect(within(column(/Asks you/)).getByText("How hot?")).toBeTruthy();
});

test("a merged task is solid only if it is proved or accepted", () => {
  const merged = { stage: "merged", candidate_id: "cd_1" };
  const tasks = [
    runTask({ ...merged, task_id: "t_1", name: "Sort", proof_state: "proved" }),
    runTask({ ...merged, task_id: "t_2", name: "Wash", proof_state: "unproved" }),
  ];
  renderPage(<StageColumns run={run({ tasks })} />, {}, "/runs/run_1");
  const rows = within(column(/Merged/)).getAllByRole("listitem");

  expect(rows.map((row) => row.getAttribute("data-proof"))).toEqual(["solid", "dashed"]);
  expect(within(rows[1]!).getByRole("img", { name: "Merged, unproved" })).toBeTruthy();
  expect(within(rows[0]!).getByRole("link", { name: "Candidate" }).getAttribute("href")).toBe(
    "/runs/run_1?candidate=cd_1",
  );
});

test("a task that is tried again says when, and one that was sent back how often", () => {
  noteServerTime(new Date().toISOString());
  const soon = new Date(Date.now() + 90_500).toISOString();
  const tasks = [
    runTask({ task_id: "t_1", stage: "retrying", retry_at: soon, attempts: 1 }),
    runTask({ task_id: "t_2", stage: "working", attempts: 2, revisions: 1 }),
  ];
  renderPage(<StageColumns run={run({ tasks })} />);

  expect(screen.getByText(/^retrying in 1:(29|30)$/)).toBeTruthy();
  expect(screen.getByText("2 attempts without a report · sent back once")).toBeTruthy();
});

test("a long column folds", () => {
  const tasks = Array.from({ length: 15 }, (_, index) => runTask({ task_id: `t_${index}`, name: `Task ${index}` }));
  renderPage(<StageColumns run={run({ tasks })} />);

  expect(screen.getByRole("button", { name: "3 more" })).toBeTruthy();
});

test("what its client denied is shown with a task", () => {
  const tasks = [runTask({ task_id: "t_1", stage: "working", denied: [{ tool: "Bash", detail: "curl example.org" }] })];
  renderPage(<StageColumns run={run({ tasks })} />);

  expect(screen.getByText("Denied by its client: Bash curl example.org")).toBeTruthy();
});
