import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run, runTask } from "@/testing/samples";
import { RunFigures } from "./run-figures";

const figure = (name: string) => screen.getByText(name).closest(".figure")!;

test("spending is shown against the budget, with a warning from four fifths on", () => {
  renderPage(
    <RunFigures
      run={run({
        spent: { usd: 16.8, tokens: 412_000, minutes: 90, launches: 3 },
        budget: { usd: 20, tokens: null, minutes: 240, launches: 10, per_task: {} },
      })}
    />,
  );

  expect(figure("Cost").textContent).toContain("$16.80 of $20.00");
  expect(figure("Cost").className).toContain("tone-attention");
  expect(screen.getByRole("img", { name: "Cost: 84% of the budget" })).toBeTruthy();
  expect(figure("Tokens").textContent).toContain("412k");
  expect(figure("Tokens").textContent).toContain("no limit");
  expect(figure("Time").className).not.toContain("tone-attention");
});

test("an unknown price is unknown, never 0", () => {
  renderPage(
    <RunFigures
      run={run({
        spent: { usd: null, tokens: 0, minutes: 0, launches: 1 },
        budget: { usd: 20, tokens: null, minutes: null, launches: null, per_task: {} },
      })}
    />,
  );

  expect(figure("Cost").textContent).toContain("unknown of $20.00");
  expect(figure("Cost").textContent).toContain("the limit cannot be enforced");
});

test("agents and progress are named", () => {
  const tasks = [
    runTask({ task_id: "t_1", stage: "merged" }),
    runTask({ task_id: "t_2", stage: "working" }),
    runTask({ task_id: "t_3", stage: "asking" }),
  ];
  const agents = [
    { client: "claude-code", count: 3 },
    { client: "codex", count: 1 },
  ];
  renderPage(<RunFigures run={run({ tasks, agents })} />);

  expect(figure("Merged").textContent).toContain("1 of 3 tasks");
  expect(figure("Merged").textContent).toContain("1 asking you");
  expect(figure("Agents").textContent).toContain("claude-code × 3, codex × 1");
});
