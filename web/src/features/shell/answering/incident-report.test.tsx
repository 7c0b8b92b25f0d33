import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { firstSentence, IncidentReport } from "./incident-report";

test("the first sentence ends at its full stop, not inside a number or a file name", () => {
  expect(firstSentence("Task app.py failed 3.5 times. Look at it.")).toEqual([
    "Task app.py failed 3.5 times.",
    "Look at it.",
  ]);
  expect(firstSentence("No end")).toEqual(["No end", ""]);
  expect(firstSentence("First line\nTraceback")).toEqual(["First line", "Traceback"]);
});

test("the rest of a report is folded and never cut", () => {
  render(<IncidentReport subject="s" text={`It failed. ${"trace ".repeat(500)}`} />);
  expect(screen.getByText("It failed.")).toBeTruthy();
  const details = screen.getByText("Details").closest("details")!;
  expect(details.open).toBe(false);
  expect(details.textContent).toContain("trace trace");
});
