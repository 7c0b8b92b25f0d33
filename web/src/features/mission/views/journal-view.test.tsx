import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import type { JournalRow } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { mission } from "@/testing/samples";
import { Decision, JournalView } from "./journal-view";

const options = () => screen.getAllByRole("listitem").map((option) => option.textContent);
const decision = { question: "Check the copy", chosen: "accept", reasoning: "r" };

test("a decision shows its options and marks the chosen one", () => {
  render(<Decision detail={{ ...decision, options_considered: ["Accept", "Send back"] }} />);

  expect(options()).toEqual(["Accept (chosen)", "Send back"]);
});

test("only text is shown as an option", () => {
  render(<Decision detail={{ ...decision, chosen: "Wait", options_considered: [{ label: "Accept" }, "Wait"] }} />);

  expect(document.body.textContent).not.toContain("[object");
  expect(options()).toEqual(["Wait (chosen)"]);
});

const entry = (id: string, more: Partial<JournalRow> = {}): JournalRow => ({
  id,
  kind: "milestone",
  summary: `Entry ${id}`,
  detail: {},
  task_id: "t_1",
  task_name: "Sort",
  author: "ada",
  open_blocker: false,
  created_at: "2026-01-15T10:00:00Z",
  ...more,
});

test("entries say who did what, and older ones load on demand", async () => {
  const choose = vi.fn();
  const issue = entry("3", { kind: "issue", detail: { description: "It jams", resolution: "Oiled" } });
  const failed = entry("2", { author: "Mission Control", kind: "recovery", detail: { failed: true } });
  const { called } = renderPage(<JournalView mission={mission({ entries: 3 })} chosen={null} choose={choose} />, {
    overview_journal: ({ cursor }: { cursor?: string }) =>
      cursor === undefined
        ? { entries: [issue, failed], next_cursor: "before 2" }
        : { entries: [failed, entry("1")], next_cursor: null },
  });
  await screen.findByText("ada reported an issue");
  expect(screen.getByText("Oiled")).toBeTruthy();
  expect(screen.getByRole("img", { name: "Failed" })).toBeTruthy();
  fireEvent.click(screen.getAllByRole("button", { name: "Sort" })[0]!);
  expect(choose).toHaveBeenCalledWith("t_1");

  fireEvent.click(screen.getByRole("button", { name: "Older entries" }));
  await screen.findByText("Entry 1");
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
  expect(screen.queryByRole("button", { name: "Older entries" })).toBeNull();
  expect(called("overview_journal").map(({ cursor }) => cursor)).toEqual([undefined, "before 2"]);
});

test("a journal that fails to load can be tried again, and an empty one says so", async () => {
  let answer: unknown = new Error("The database is busy");
  renderPage(<JournalView mission={mission()} chosen={null} choose={vi.fn()} />, { overview_journal: () => answer });
  expect((await screen.findByRole("alert")).textContent).toContain("Could not load the journal.");
  answer = { entries: [], next_cursor: null };
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));

  expect(await screen.findByText("No entries yet")).toBeTruthy();
});
