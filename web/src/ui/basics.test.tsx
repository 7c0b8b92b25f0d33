import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { ApiError } from "@/api/call-tool";
import { counts } from "@/testing/samples";
import { Segmented } from "./basics";
import { Loaded } from "./query-states";
import { describeCounts, ProgressBar, ProofBar } from "./status/progress-bar";
import { EVIDENCE, MISSION, missionStatus, QUEUE, statusFor, TASK } from "./status/status";
import { StatusIcon } from "./status/status-icon";

test("an icon has its word as accessible name", () => {
  render(<StatusIcon status={statusFor(TASK, "unproved")} />);

  expect(screen.getByRole("img", { name: "Done, unproved" })).toBeTruthy();
});

test("no two states of a kind share a word, and an unknown word is shown as it is", () => {
  for (const table of [MISSION, TASK, EVIDENCE, QUEUE]) {
    const looks = Object.values(table).map((status) => status.word);
    expect(new Set(looks).size).toBe(looks.length);
  }
  expect(statusFor(TASK, "verifying").word).toBe("verifying");
});

test("a progress bar describes its parts in words", () => {
  render(
    <ProgressBar
      counts={counts({
        proved: 3,
        unproved: 1,
        working: 5,
        needs: 2,
        failed: 1,
        failing: 1,
        failed_attempts: 3,
        total: 17,
      })}
    />,
  );

  expect(
    screen.getByRole("img", {
      name: "3 proved, 1 done, unproved, 5 working, 2 need you, 1 failed, 5 to do, 1 failing, 3 failed attempts",
    }),
  ).toBeTruthy();
});

test("one task needs you, several need you", () => {
  expect(describeCounts(counts({ needs: 1, total: 1 }))).toBe("1 needs you");
  expect(describeCounts(counts({ needs: 2, total: 2 }))).toBe("2 need you");
});

test("a proof bar says in words what its parts show, and lists the usual parts even without tasks", () => {
  render(
    <ProofBar
      label="Proof"
      counts={counts({ proved: 4, unproved: 2, failing: 1, working: 3, skipped: 1, total: 10 })}
    />,
  );

  expect(
    screen.getByRole("img", { name: "Proof: 4 proved; 2 done, unproved; 1 failing; 1 skipped; 2 open" }),
  ).toBeTruthy();
  expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual([
    "4 Proved",
    "0 Accepted",
    "2 Done, unproved",
    "1 Failing",
    "1 Skipped",
    "2 Open",
  ]);
});

test("a completed mission is solid only if nothing in it is unproved", () => {
  const shape = (more: Parameters<typeof counts>[0]) => missionStatus({ status: "completed" }, counts(more)).shape;

  expect(shape({ proved: 3 })).toBe("disc-check");
  expect(shape({ proved: 3, accepted: 1 })).toBe("disc-check");
  expect(shape({ proved: 3, unproved: 1 })).toBe("dashed-check");
  expect(shape({})).toBe("dashed-check");
});

test("one of several options is selected, and a click selects another", () => {
  const choose = vi.fn();
  render(
    <Segmented
      label="Which"
      options={[
        ["a", "A"],
        ["b", "B"],
      ]}
      value="a"
      choose={choose}
    />,
  );

  expect(screen.getByRole("button", { name: "A" }).getAttribute("aria-pressed")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "B" }));
  expect(choose).toHaveBeenCalledWith("b");
});

test("a failed query shows why, what to do, and the code", () => {
  const refetch = vi.fn();
  const error = new ApiError(404, "RESOURCE_NOT_FOUND", "there is no mission m_1", "List them.");
  render(
    <Loaded query={{ data: undefined, error, refetch }} what="the mission">
      {() => null}
    </Loaded>,
  );

  expect(screen.getByRole("alert").textContent).toContain("there is no mission m_1. List them.");
  expect(screen.getByText("RESOURCE_NOT_FOUND")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(refetch).toHaveBeenCalled();
});
