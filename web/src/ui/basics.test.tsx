import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { ApiError } from "@/api/call-tool";
import { Segmented } from "./basics";
import { Loaded } from "./query-states";
import { ProgressBar } from "./status/progress-bar";
import { MISSION, QUEUE, statusFor, TASK } from "./status/status";
import { StatusIcon } from "./status/status-icon";

test("an icon has its word as accessible name", () => {
  render(<StatusIcon status={statusFor(TASK, "claimed")} />);

  expect(screen.getByRole("img", { name: "Claimed" })).toBeTruthy();
});

test("no two states of a kind share a word, and an unknown word is shown as it is", () => {
  for (const table of [MISSION, TASK, QUEUE]) {
    const looks = Object.values(table).map((status) => status.word);
    expect(new Set(looks).size).toBe(looks.length);
  }
  expect(statusFor(TASK, "verifying").word).toBe("verifying");
});

test("a progress bar describes its parts in words", () => {
  render(<ProgressBar counts={{ claimed: 4, working: 5, needs: 2, failed: 1, failed_attempts: 3, total: 17 }} />);

  expect(
    screen.getByRole("img", { name: "4 claimed, 5 working, 2 need you, 1 failed, 5 to do, 3 failed attempts" }),
  ).toBeTruthy();
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
