import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { task } from "@/testing/samples";
import { TaskPlan } from "./task-plan";

test("a plan lists its steps in words, whatever their form", () => {
  render(<TaskPlan task={task({ plan: { approach: "By hand", steps: ["Look", { description: "Sort" }] } })} />);

  expect(screen.getAllByRole("listitem").map((step) => step.textContent)).toEqual(["1 Look", "2 Sort"]);
  expect(screen.getByText("approach:").parentElement?.textContent).toBe("approach: By hand");
});
