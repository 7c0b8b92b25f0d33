import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { execution, task } from "@/testing/samples";
import { TaskReport } from "./task-report";

const FILES = { files: [], total: 2, lines_added: 5, lines_removed: 1, outside: 0, known: true, final: true };
const show = (more: object, claim: Record<string, unknown> | null = null) =>
  renderPage(<TaskReport task={task(more)} newest={execution({ claim })} />, { overview_files: FILES });

test("a report says which part of it Mission Control has seen", async () => {
  show({ outcome: "All sorted", state: "unproved" });
  expect((await screen.findByText("files: established")).parentElement?.textContent).toBe(
    "files: established · outcome: reported",
  );
  expect(screen.getByText("All sorted")).toBeTruthy();
});

test("a proved outcome is not merely reported", async () => {
  show({ outcome: "All sorted", state: "proved" });
  expect(await screen.findByText("outcome: proved")).toBeTruthy();
});

test("what an agent reported before its checks is shown as unchecked, in its own words", () => {
  show({ state: "working" }, { type: "completed_claim", summary: "It works", at: "2026-01-15T10:00:00Z" });
  expect(screen.getByText("reported by the agent, not checked yet")).toBeTruthy();
  expect(screen.getByRole("img", { name: "Reports done" })).toBeTruthy();
});

test("a hold and an error are shown, a question only on its card", () => {
  show({ hold: { kind: "operator", reason: "Waits for the release" }, error: "It jams" });
  expect(screen.getByText(/On hold:/).textContent).toBe("On hold: Waits for the release");
  expect(screen.getByText("It jams")).toBeTruthy();
  document.body.innerHTML = "";
  show({ hold: { kind: "input", reason: "Which one?" } });
  expect(screen.queryByText(/On hold/)).toBeNull();
});
