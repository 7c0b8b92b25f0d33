import { fireEvent, screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { counts, mission, missionTask, phase } from "@/testing/samples";
import { BoardView } from "./board-view";

const MISSION = mission({
  phases: [
    phase({ name: "Sort", tasks: counts({ unproved: 1, total: 3 }) }),
    phase({ number: 2, name: "Paint", tasks: counts({ total: 1 }) }),
  ],
  tasks: [
    missionTask({ id: "t_1", name: "Saws", state: "unproved", agent: "ada" }),
    missionTask({ id: "t_2", name: "Nails", state: "working", agent: "ada", started_at: "2026-01-15T10:00:00Z" }),
    missionTask({ id: "t_3", name: "Screws", state: "asks", agent: "bob", started_at: "2026-01-15T10:00:00Z" }),
    missionTask({ id: "t_4", name: "Walls", phase: 2, state: "waiting", waiting_for: 3 }),
  ],
});

function show(at = "/") {
  const choose = vi.fn();
  const page = renderPage(<BoardView mission={MISSION} chosen={null} choose={choose} />, {}, at);
  return { ...page, choose };
}

/** The columns: each with its title and the names of its tasks. */
const columns = () =>
  [...document.querySelectorAll<HTMLElement>(".column")].map((column) => [
    within(column).getByRole("heading").firstChild?.textContent,
    ...within(column)
      .getAllByRole("button")
      .map((button) => button.textContent),
  ]);

test("a column per phase puts tasks that need you first, and counts what is done", () => {
  const { choose } = show();

  expect(columns()).toEqual([
    ["1 Sort", "Screws", "Nails", "Saws"],
    ["2 Paint", "Walls"],
  ]);
  expect(screen.getByText("1 of 3")).toBeTruthy();
  expect(screen.getByText("after 3 tasks")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Nails" }));
  expect(choose).toHaveBeenCalledWith("t_2");
});

test("columns by state start with what needs you", () => {
  show("/?by=state");
  expect(columns().map(([title]) => title)).toEqual(["Asks you", "Working", "Waiting", "Done, unproved"]);
});

test("columns by agent are selected in the address, and unassigned tasks have one of their own", () => {
  const { address } = show();
  fireEvent.click(screen.getByRole("button", { name: "By agent" }));

  expect(address()).toBe("/?by=agent");
  expect(columns().map(([title]) => title)).toEqual(["ada", "bob", "Unassigned"]);
});
