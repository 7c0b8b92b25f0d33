import { screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { execution, item, mission, missionTask } from "@/testing/samples";
import { TaskPanel } from "./task-panel";

const FILES = { files: [], total: 7, lines_added: 310, lines_removed: 91, outside: 1, known: true, final: false };

beforeEach(() => {
  vi.stubGlobal(
    "WebSocket",
    class {
      close() {}
    },
  );
});

const show = (tools: object) =>
  renderPage(
    <TaskPanel
      mission={mission({
        tasks: [
          missionTask({ id: "t_0", name: "Look" }),
          missionTask({ id: "t_1", state: "asks", attempts: 2, failed_attempts: 1, depends_on: ["t_0"] }),
          missionTask({ id: "t_2", name: "Sweep", depends_on: ["t_1"] }),
        ],
      })}
      id="t_1"
      close={() => undefined}
    />,
    { overview_files: FILES, queue_list: { items: [], total: 0 }, execution_list: { executions: [] }, ...tools },
  );

test("the panel has the question, the terminal, the changes and the neighbors of its task", async () => {
  const asks = item({ task_id: "t_1", subject: "Which one?" });
  const failed = execution({ id: "x_0", status: "failed", reason: "exit code 1", usage: { cost_usd: 1 } });
  const progress = { summary: "Half of it is sorted", at: "2026-01-15T10:00:00Z" };
  show({
    queue_list: { items: [asks], total: 1 },
    execution_list: { executions: [execution({ progress, usage: { cost_usd: 2.5 } }), failed] },
  });
  expect(await screen.findByRole("article", { name: "Which one?" })).toBeTruthy();

  expect(screen.getByText("Half of it is sorted")).toBeTruthy();
  expect(screen.getByText("exit code 1")).toBeTruthy();
  expect(screen.getByText("$3.50")).toBeTruthy();
  expect((await screen.findByText(/7 files/)).textContent).toContain("+310 −91");
  expect(screen.getByText("1 outside its areas")).toBeTruthy();
  expect(screen.getAllByRole("link", { name: "Open terminal" })[0]?.getAttribute("href")).toBe("/executions/x_1");
  expect(screen.getAllByRole("heading", { level: 3 }).map((each) => each.textContent)).toEqual([
    "Depends on",
    "Unblocks",
  ]);
});
