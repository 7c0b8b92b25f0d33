import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { mission, missionTask, run, runRow, runTask } from "@/testing/samples";
import { TaskGraph } from "./task-graph";

const checks = { total: 4, passed: 3, failed: 1 } as never;

function show(tasks: ReturnType<typeof missionTask>[], tools: object = {}) {
  renderPage(<TaskGraph mission={mission({ tasks })} chosen={null} choose={vi.fn()} />, {
    run_list: { runs: [] },
    ...tools,
  });
}

test("a node shows its evidence and its failed attempts, and says them", () => {
  show([
    missionTask({
      id: "t_1",
      name: "Sort",
      state: "proved",
      agent: "bob",
      checks: { ...(checks as object), failed: 0 } as never,
    }),
    missionTask({ id: "t_2", name: "Sweep", failed_attempts: 2, depends_on: ["t_1"], critical: true }),
  ]);

  const [sort, sweep] = screen.getAllByRole("button", { name: /^(Sort|Sweep):/ });
  expect(sort!.textContent).toContain("3/4 ✓");
  expect(sort!.querySelector(".hidden")!.textContent).toBe("Sort: Proved, 3 of 4 checks passed, bob, unblocks Sweep");
  expect(sweep!.textContent).toContain("2 failed");
  expect(sweep!.querySelector(".hidden")!.textContent).toBe(
    "Sweep: Ready, 2 failed attempts, on the critical path, depends on Sort",
  );
});

test("a task of a live run shows its stage", async () => {
  show([missionTask({ state: "review" })], {
    run_list: { runs: [runRow({ state: "running" })] },
    run_get: run({ tasks: [runTask({ stage: "merging" })] }),
  });

  expect(await screen.findByRole("button", { name: "Sort: Merging" })).toBeTruthy();
});
