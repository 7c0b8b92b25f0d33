import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import type { TaskProofGlance } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { check, proof } from "@/testing/samples";
import { describeRound, EvidenceCard } from "./evidence-card";

const show = (found: TaskProofGlance, tools = {}) =>
  renderPage(<EvidenceCard taskId="t_1" name="Sort" />, { overview_proof: found, ...tools });

test("the outcome of a round is counted", () => {
  const states = ["passed", "passed", "failed", "running"].map((state) => check({ state }));

  expect(describeRound({ checks: states })).toBe("2 of 4 passed · 1 running · 1 failed");
  expect(describeRound({ checks: [check({ state: "not_run" })] })).toBe("not run");
});

test("warnings, criteria and the reason for missing proof are shown", async () => {
  show(
    proof({
      state: "unproved",
      reason: "no required check is defined",
      flags: ["the agent changed what it is judged by: tests/test_a.py"],
      unexpected_files: ["notes.txt"],
      acceptance: ["It sorts numbers"],
    }),
  );

  expect(await screen.findByText("Done, unproved: no required check is defined.")).toBeTruthy();
  expect(screen.getByText("The agent changed what it is judged by: tests/test_a.py.")).toBeTruthy();
  expect(screen.getByText("1 changed file outside the task's areas: notes.txt.")).toBeTruthy();
  expect(screen.getByText("It sorts numbers")).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Accept/ })).toBeNull();
});

test("checks can be run again", async () => {
  const { called } = show(proof({ can_run: true, round_state: "failed", checks: [check({ state: "not_run" })] }), {
    task_checks: {},
  });
  fireEvent.click(await screen.findByRole("button", { name: "Run checks again" }));

  await waitFor(() => expect(called("task_checks")).toEqual([{ task_id: "t_1", run: true, wait_seconds: 0 }]));
});

test("a task is accepted only with a reason", async () => {
  const { called } = show(proof({ can_accept: true, state: "failing" }), { task_accept: {} });
  fireEvent.click(await screen.findByRole("button", { name: "Accept…" }));
  const accept = () => screen.getByRole("button", { name: "Accept task", hidden: true });
  expect(accept().hasAttribute("disabled")).toBe(true);
  fireEvent.change(screen.getByLabelText("Reason"), { target: { value: " flaky network " } });
  fireEvent.click(accept());

  await waitFor(() => expect(called("task_accept")).toEqual([{ task_id: "t_1", reason: "flaky network" }]));
});

test("an accepted task names who let it through and why", async () => {
  show(proof({ state: "accepted", by: "operator", reason: "Known outage" }));

  expect(await screen.findByText("Accepted by operator: Known outage")).toBeTruthy();
});
