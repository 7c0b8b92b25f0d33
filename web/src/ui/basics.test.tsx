import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { ApiError } from "@/api/call-tool";
import { Segmented } from "./basics";
import { Progress } from "./status/progress-bar";
import { Loaded } from "./query-states";
import { look, MISSION, QUEUE, TASK } from "./status/status";
import { StatusIcon } from "./status/status-icon";

afterEach(cleanup);

test("a glyph says its word to those who do not see it", () => {
  render(<StatusIcon status={look(TASK, "claimed")} />);

  expect(screen.getByRole("img", { name: "Claimed" })).toBeTruthy();
});

test("no two states of a kind look the same, and a word of a newer server shows itself", () => {
  for (const table of [MISSION, TASK, QUEUE]) {
    const looks = Object.values(table).map((status) => status.word);
    expect(new Set(looks).size).toBe(looks.length);
  }
  expect(look(TASK, "verifying").word).toBe("verifying");
});

test("a bar tells its parts in words", () => {
  render(<Progress tally={{ claimed: 4, working: 5, needs: 2, failed: 1, failed_attempts: 3, total: 17 }} />);

  expect(screen.getByRole("img", { name: "4 claimed, 5 working, 2 need you, 1 failed, 5 to do, 3 failed attempts" })).toBeTruthy();
});

test("of several options one holds, and a click chooses another", () => {
  const choose = vi.fn();
  render(<Segmented label="Which" options={[["a", "A"], ["b", "B"]]} value="a" choose={choose} />);

  expect(screen.getByRole("button", { name: "A" }).getAttribute("aria-pressed")).toBe("true");
  fireEvent.click(screen.getByRole("button", { name: "B" }));
  expect(choose).toHaveBeenCalledWith("b");
});

test("what cannot be read says why, what to do, and its code", () => {
  const refetch = vi.fn();
  const error = new ApiError(404, "RESOURCE_NOT_FOUND", "there is no mission m_1", "List them.");
  render(
    <Loaded query={{ data: undefined, error, refetch }} what="The mission could not be read">
      {() => null}
    </Loaded>,
  );

  expect(screen.getByRole("alert").textContent).toContain("there is no mission m_1. List them.");
  expect(screen.getByText("RESOURCE_NOT_FOUND")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(refetch).toHaveBeenCalled();
});
