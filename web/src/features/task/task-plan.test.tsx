import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { task } from "@/testing/samples";
import { TaskPlan, TaskResult } from "./task-plan";

test("a hold is shown before an error, and an error before a report", () => {
  const texts = [
    { hold: { reason: "Waits for review" }, error: "It jams", outcome: "Sorted" },
    { error: "It jams", outcome: "Sorted" },
    { outcome: "Sorted" },
    {},
  ].map((more) => {
    const { container } = render(<TaskResult task={task(more)} />);
    return container.querySelector("span")?.textContent ?? null;
  });

  expect(texts).toEqual(["On hold: Waits for review", "It jams", "Reported: Sorted", null]);
});

test("a plan lists its steps in words, whatever their form", () => {
  render(<TaskPlan task={task({ plan: { approach: "By hand", steps: ["Look", { description: "Sort" }] } })} />);

  expect(screen.getAllByRole("listitem").map((step) => step.textContent)).toEqual(["1 Look", "2 Sort"]);
  expect(screen.getByText("approach:").parentElement?.textContent).toBe("approach: By hand");
});
