import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { candidate } from "@/testing/samples";
import { CandidateDetails } from "./candidate-details";

const PATCH = [
  { path: "a.py", patch: "@@ -1 +1 @@\n-old\n+new\n", whole: true, note: null },
  { path: "b.py", patch: "new file mode 100644\n@@ -0,0 +1 @@\n+second\n", whole: true, note: null },
];
const EVIDENCE = {
  id: "ev_1",
  task_id: "t_1",
  name: "tests",
  kind: "run",
  check: { run: "make test" },
  required: true,
  state: "failed",
  exit_code: 1,
  seconds: 2,
  tests: null,
  reason: "41 passed, 1 failed",
  files: [],
  reused_from: null,
  started_at: null,
  ended_at: null,
};

test("a candidate shows report, findings, evidence and its diff against the tip", async () => {
  const { called } = renderPage(<CandidateDetails id="cd_1" />, {
    candidate_get: candidate({
      state: "conflicted",
      reason: "a.py was changed by 'Wash' too",
      findings: [{ kind: "conflict", path: "a.py", detail: "both sides changed it" }],
      evidence: [EVIDENCE],
      patch: PATCH,
    }),
  });

  expect(await screen.findByText("Sorted all of it")).toBeTruthy();
  expect(screen.getByText(/changed by 'Wash' too/)).toBeTruthy();
  expect(screen.getByText("both sides changed it")).toBeTruthy();
  expect(screen.getByText("make test")).toBeTruthy();
  expect(screen.getByText("41 passed, 1 failed")).toBeTruthy();
  expect(await screen.findByText("new")).toBeTruthy();
  expect(screen.getByText("cccccccccc..dddddddddd")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /b.py/ }));
  expect(screen.getByText("second")).toBeTruthy();
  expect(called("candidate_get")).toEqual([{ candidate_id: "cd_1" }, { candidate_id: "cd_1", patch: true }]);
});

test("a candidate that was not merged for trial has no diff yet", async () => {
  renderPage(<CandidateDetails id="cd_1" />, { candidate_get: candidate({ commit: null, tip: null }) });

  expect(await screen.findByText(/no trial merge onto the tip/)).toBeTruthy();
  expect(screen.getByText(/No checks have run/)).toBeTruthy();
});

test("a conflict has no merged tree, and evidence of the tip stands apart", async () => {
  const tip = { ...EVIDENCE, id: "ev_2", task_id: null, state: "passed", reason: null };
  renderPage(<CandidateDetails id="cd_1" />, { candidate_get: candidate({ state: "conflicted", evidence: [tip] }) });

  expect(await screen.findByText(/so there is no merged tree/)).toBeTruthy();
  expect(screen.getByText(/No checks have run/)).toBeTruthy();
  expect(screen.getByText("Evidence for the tip")).toBeTruthy();
});

test("the rest of a candidate is shown where its lines cannot be read", async () => {
  renderPage(<CandidateDetails id="cd_1" />, {
    candidate_get: ({ patch }: { patch?: boolean }) => (patch ? new Error("It is on host far") : candidate()),
  });

  expect((await screen.findByRole("alert")).textContent).toContain("It is on host far");
  expect(screen.getByText("Sorted all of it")).toBeTruthy();
});
