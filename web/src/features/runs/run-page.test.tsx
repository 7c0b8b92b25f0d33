import { fireEvent, screen } from "@testing-library/react";
import { Route, Routes } from "react-router";
import { expect, test } from "vitest";

import { type FakeTools, renderPage } from "@/testing/render-page";
import { candidate, item, run, runTask } from "@/testing/samples";
import { RunPage } from "./run-page";

const asked = (more: object) => ({
  item_id: "q_1",
  kind: "question",
  subject: "How hot?",
  body: "",
  task_id: "t_1",
  choices: [],
  created_at: "2026-01-15T10:00:00Z",
  ...more,
});

function show(tools: FakeTools, at = "/runs/run_1") {
  return renderPage(
    <Routes>
      <Route path="/runs/:id" element={<RunPage />} />
    </Routes>,
    tools,
    at,
  );
}

test("questions of the run are answered in place; those of others are not shown", async () => {
  show({
    run_get: run({ questions: [asked({})] }),
    queue_list: { items: [item({ subject: "How hot?" }), item({ id: "q_2", subject: "Not here" })], total: 2 },
  });

  expect(await screen.findByRole("article", { name: "How hot?" })).toBeTruthy();
  expect(screen.getByRole("textbox", { name: "Your answer" })).toBeTruthy();
  expect(screen.queryByText("Not here")).toBeNull();
});

test("a review opens next to its candidate, and Escape leads back", async () => {
  const queue = [{ candidate_id: "cd_1", task_id: "t_1", name: "Sort", state: "checked", position: 1, reason: null }];
  const review = item({
    id: "q_review",
    kind: "review",
    subject: "Review: Sort",
    choices: [{ kind: "manual", label: "Send back" }],
  });
  const { address } = show({
    run_get: run({
      queue,
      tasks: [runTask({ stage: "reviewing" })],
      questions: [asked({ item_id: "q_review", kind: "review" })],
    }),
    queue_list: { items: [review], total: 1 },
    candidate_get: candidate({
      state: "checked",
      patch: [{ path: "a", patch: "@@ -1 +1 @@\n-old\n+new\n", whole: true, note: null }],
    }),
  });
  fireEvent.click(await screen.findByRole("button", { name: "Review…" }));
  expect(address()).toBe("/runs/run_1?candidate=cd_1");
  fireEvent.click(await screen.findByRole("button", { name: "Comment on a:1" }));
  fireEvent.change(screen.getByRole("textbox", { name: "Comment on a:1" }), { target: { value: "Why y?" } });
  fireEvent.click(screen.getByRole("button", { name: "Add comment" }));
  expect(screen.getByRole("region", { name: "Comments on lines" }).textContent).toContain("a:1 Why y?");

  fireEvent.keyDown(document.body, { key: "Escape" });
  expect(address()).toBe("/runs/run_1");
  expect(await screen.findByRole("heading", { name: "Review 1" })).toBeTruthy();
});

test("a run that has ended shows its report", async () => {
  show({
    run_get: run({ state: "finished", ended_at: "2026-01-15T11:00:00Z" }),
    queue_list: { items: [], total: 0 },
    run_report: {
      run_id: "run_1",
      mission_id: "m_1",
      state: "finished",
      markdown: "# Tidy up\n\nAll of it.",
      report: {},
    },
  });

  expect(await screen.findByText("All of it.")).toBeTruthy();
  expect(screen.getByRole("button", { name: "Save as Markdown" })).toBeTruthy();
});

test("an unknown run is named", async () => {
  show({ run_get: new Error("there is no run run_1") });

  expect((await screen.findByRole("alert")).textContent).toContain("there is no run run_1");
});
