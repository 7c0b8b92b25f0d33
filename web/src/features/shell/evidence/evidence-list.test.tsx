import { fireEvent, screen, within } from "@testing-library/react";
import { expect, test } from "vitest";

import type { CheckGlance } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { check } from "@/testing/samples";
import { EvidenceList } from "./evidence-list";

const OUTPUT = { text: "2 errors\n", next_offset: 9, left_out: 0, ended: true };

function show(...checks: CheckGlance[]) {
  return renderPage(<EvidenceList checks={checks} />, { evidence_output: OUTPUT });
}

const row = (name: string) => within(screen.getByText(name).closest("li")!);

test("a failed check shows its output at once, a passed one on a click", async () => {
  const { called } = show(
    check({ name: "lint", asks: "ruff check", output_id: "ev_2" }),
    check({ state: "failed", exit_code: 2 }),
  );

  expect((await row("tests").findByRole("region", { name: "Output of tests" })).textContent).toBe("2 errors\n");
  expect(row("tests").getByText("exit 2 · 12.4 s")).toBeTruthy();
  expect(row("lint").queryByRole("region")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Show details for lint" }));

  expect(await row("lint").findByRole("region", { name: "Output of lint" })).toBeTruthy();
  expect(called("evidence_output").map(({ id }) => id)).toEqual(["ev_1", "ev_2"]);
});

test("labels qualify an outcome, and test counts are shown", () => {
  show(
    check({
      state: "passed",
      required: false,
      flaky: true,
      reused: true,
      tests: { run: 42, failed: 0, skipped: 3 },
    }),
  );

  expect(row("tests").getByText("42 tests, 3 skipped · 12.4 s")).toBeTruthy();
  for (const label of ["optional", "flaky: passed after a retry", "reused: same tree"])
    expect(row("tests").getByText(label)).toBeTruthy();
});

test("a failure that was there before says so and shows what it said then", async () => {
  const before = { evidence_id: "ev_0", role: "start", state: "failed" };
  const { called } = show(check({ state: "failed", failed_before: true, before }));

  expect(row("tests").getByText("also failed before")).toBeTruthy();
  fireEvent.click(row("tests").getByRole("button", { name: "On the start tree: failed" }));

  expect(await row("tests").findByRole("region", { name: "Output of tests before" })).toBeTruthy();
  expect(called("evidence_output").map(({ id }) => id)).toContain("ev_0");
});

test("a check without output has nothing to open", () => {
  show(check({ state: "not_run", output_id: null, seconds: null, exit_code: null }));

  expect(row("tests").getByText("Not run")).toBeTruthy();
  expect(row("tests").queryByRole("button")).toBeNull();
});
