import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { candidate, check, item, proof, run, runRow, task } from "@/testing/samples";
import { ReviewActions, ReviewDetails } from "./review-details";

test("a reviewer sees goal, criteria, warnings, evidence and diff", async () => {
  renderPage(<ReviewDetails taskId="t_1" missionId="m_1" review="q_1" />, {
    task_get: task({ description: "Sort all numbers" }),
    run_list: { runs: [], next_cursor: null },
    overview_proof: proof({
      acceptance: ["It is stable"],
      flags: ["the agent changed what it is judged by: tests/test_a.py"],
      unexpected_files: ["notes.txt"],
      checks: [check()],
    }),
    overview_files: { files: [{ path: "notes.txt", how: "A" }], total: 1, known: true, final: false },
    overview_diff: { patch: "@@ -0,0 +1 @@\n+a note\n", whole: true, note: null },
  });

  expect(await screen.findByText("Sort all numbers")).toBeTruthy();
  expect(await screen.findByText("It is stable")).toBeTruthy();
  expect(screen.getByText("The agent changed what it is judged by: tests/test_a.py.")).toBeTruthy();
  expect(screen.getByText("1 changed file outside the task's areas: notes.txt.")).toBeTruthy();
  expect(screen.getByText("make test")).toBeTruthy();
  expect(await screen.findByText("a note")).toBeTruthy();
});

test("in a run the candidate is reviewed, not the tree that its agent may still change", async () => {
  const { called } = renderPage(<ReviewDetails taskId="t_1" missionId="m_1" review="q_1" />, {
    run_list: { runs: [runRow()], next_cursor: null },
    run_get: run({
      queue: [{ candidate_id: "cd_1", task_id: "t_1", name: "Sort", state: "checked", position: 1, reason: null }],
    }),
    candidate_get: candidate({
      patch: [{ path: "a.py", patch: "@@ -1 +1 @@\n-old\n+new\n", whole: true, note: null }],
    }),
    task_get: task(),
    overview_proof: proof(),
  });

  expect(await screen.findByText("new")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Comment on a.py:1" })).toBeTruthy();
  expect(called("overview_files")).toEqual([]);
});

test("the reviewed task can be skipped after a confirmation", async () => {
  const { called } = renderPage(<ReviewActions item={item({ kind: "review" })} />, {
    overview_proof: proof({ can_accept: true }),
    task_update_status: {},
  });
  fireEvent.click(await screen.findByRole("button", { name: "Skip task" }));
  expect(called("task_update_status")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Skip it now" }));

  await waitFor(() => expect(called("task_update_status")).toEqual([{ id: "t_1", status: "skipped" }]));
});

test("a task that has ended offers neither", async () => {
  const { called } = renderPage(<ReviewActions item={item({ kind: "review" })} />, { overview_proof: proof() });
  await waitFor(() => expect(called("overview_proof")).toHaveLength(1));

  expect(screen.queryAllByRole("button")).toEqual([]);
});
