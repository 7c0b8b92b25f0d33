import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run, runTask } from "@/testing/samples";
import { MergeQueue } from "./merge-queue";

const queued = { candidate_id: "cd_1", task_id: "t_1", name: "Sort", state: "built", position: 1, reason: null };

test("candidates are in order, and conflicts are named", () => {
  const queue = [
    queued,
    { ...queued, candidate_id: "cd_2", task_id: "t_2", name: "Wash", state: "conflicted", position: 2, reason: "a.py" },
  ];
  const back = runTask({ task_id: "t_3", name: "Dry", stage: "working", revisions: 2, candidate_id: "cd_3" });
  const { address } = renderPage(<MergeQueue run={run({ queue, tasks: [back] })} />, {}, "/runs/run_1");
  const [order, sent] = screen.getAllByRole("list");

  expect(
    within(order!)
      .getAllByRole("listitem")
      .map((row) => row.textContent?.replace(/\s+/g, " ")),
  ).toEqual(["1Sort Checking", "2Washa.py Conflict"]);
  expect(within(sent!).getByRole("link", { name: "Dry" }).getAttribute("href")).toBe("/runs/run_1?candidate=cd_3");
  expect(within(sent!).getByText("2 times")).toBeTruthy();
  expect(address()).toBe("/runs/run_1");
});

test("an empty queue says so", () => {
  renderPage(<MergeQueue run={run()} />);

  expect(screen.getByText("No results are waiting to be merged.")).toBeTruthy();
});
