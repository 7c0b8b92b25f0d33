import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run } from "@/testing/samples";
import { RunHeader } from "./run-header";

const names = () => screen.queryAllByRole("button").map((button) => button.textContent?.trim());

test("a running run is paused, and stopped only after a confirmation", async () => {
  const { called } = renderPage(<RunHeader run={run()} />, { run_pause: {}, run_stop: {} });
  fireEvent.click(screen.getByRole("button", { name: "Pause" }));
  await waitFor(() => expect(called("run_pause")).toEqual([{ run_id: "run_1" }]));
  fireEvent.click(screen.getByRole("button", { name: "Stop" }));
  expect(called("run_stop")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Stop the run now" }));

  await waitFor(() => expect(called("run_stop")).toEqual([{ run_id: "run_1" }]));
});

test("a paused run can be resumed, and a refusal is shown as it is", async () => {
  renderPage(<RunHeader run={run({ state: "paused", reason: "A person paused it." })} />, {
    run_resume: new Error("The client codex is not signed in"),
  });
  expect(screen.getByText("A person paused it.")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Resume" }));

  expect((await screen.findByRole("alert")).textContent).toContain("The client codex is not signed in");
});

test("a finished run can only be landed, and one that has landed not again", () => {
  renderPage(<RunHeader run={run({ state: "finished" })} />);
  expect(names().filter((name) => name !== "run_1")).toEqual(["Land…"]);
  renderPage(<RunHeader run={run({ run_id: "run_2", state: "finished", landing: { state: "landed" } })} />);

  expect(screen.getAllByRole("button", { name: "Land…" })).toHaveLength(1);
});

test("a run that waits for an answer before its start says so, and warnings are shown", () => {
  const question = {
    item_id: "q_1",
    kind: "run",
    subject: "Go?",
    body: "",
    task_id: null,
    choices: [],
    created_at: "2026-01-15T10:00:00Z",
  };
  const warned = { warning: "84% of the money is spent.", merging_stopped: "the tip fails 'make test'" };
  renderPage(<RunHeader run={run({ state: "ready", questions: [question], ...warned })} />);

  expect(screen.getByText("Waits for you")).toBeTruthy();
  expect(screen.getAllByRole("note").map((note) => note.textContent)).toEqual([
    "Merging is on hold: the tip fails 'make test'",
    "84% of the money is spent.",
  ]);
});
