import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { overview } from "@/testing/samples";
import { StartRunButton } from "./start-run";

const client = (name: string, title: string) => ({ name, title, installed: true, version: null });
const CLIENTS = { adapters: [client("codex", "Codex"), client("claude-code", "Claude Code")] };
const task = (number: number) => ({ id: `t_${number}`, name: `Task ${number}` });

async function openOnce(tools: object) {
  const shown = renderPage(<StartRunButton missionId="m_1" name="Tidy up" />, { adapter_list: CLIENTS, ...tools });
  fireEvent.click(screen.getByRole("button", { name: "Run…" }));
  fireEvent.click(screen.getByRole("button", { name: "Launch once" }));
  await screen.findByLabelText("Codex");
  return shown;
}

const write = (name: string, value: string) => fireEvent.change(screen.getByLabelText(name), { target: { value } });

test("each ready task gets one agent, the clients in turn, and surplus agents are not launched", async () => {
  const { called, address } = await openOnce({
    workflow_next_tasks: { tasks: [task(1), task(2), task(3)] },
    execution_launch: { id: "x_1" },
  });
  await screen.findByText("3 tasks are ready.");
  write("Codex", "2");
  write("Claude Code", "2");
  write("Model for Claude Code", "opus");
  expect(screen.getByRole("status").textContent).toBe("3 tasks are ready. The other agents are not launched.");
  fireEvent.click(screen.getByRole("button", { name: "Launch 3 agents" }));

  await waitFor(() => expect(address()).toBe("/executions"));
  expect(called("execution_launch")).toEqual([
    { task_id: "t_1", adapter: "codex", arguments: [] },
    { task_id: "t_2", adapter: "claude-code", arguments: ["--model", "opus"] },
    { task_id: "t_3", adapter: "codex", arguments: [] },
  ]);
});

test("a refused launch is named and does not stop the others", async () => {
  let launches = 0;
  const { called, address } = await openOnce({
    workflow_next_tasks: { tasks: [task(1), task(2)] },
    execution_launch: () => (++launches === 1 ? new Error("Somebody has claimed it.") : { id: "x_2" }),
  });
  await screen.findByText("2 tasks are ready.");
  write("Codex", "2");
  fireEvent.click(screen.getByRole("button", { name: "Launch 2 agents" }));

  expect((await screen.findByRole("alert")).textContent).toBe(
    "Launched 1 of 2. Could not launch “Task 1”: Somebody has claimed it.",
  );
  expect([called("execution_launch").length, address()]).toEqual([2, "/"]);
});

test("without ready tasks nothing can be launched", async () => {
  await openOnce({ workflow_next_tasks: { tasks: [] } });

  await screen.findByText(/No tasks are ready/);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Launch" }).disabled).toBe(true);
});

test("without a mission the dialog asks for one that has tasks and no run", async () => {
  const mission = (id: string, total = 3) => ({ id, name: id, tasks: { total } });
  const { called, address } = renderPage(<StartRunButton />, {
    adapter_list: CLIENTS,
    overview: overview({ missions: [mission("m_1"), mission("m_empty", 0), mission("m_running")] as never }),
    run_list: { runs: [{ mission_id: "m_running" }] },
    run_start: { run_id: "run_1" },
  });
  fireEvent.click(screen.getByRole("button", { name: "Run agents…" }));
  await screen.findByRole("option", { name: "m_1" });
  await waitFor(() => expect(screen.queryByRole("option", { name: "m_running" })).toBeNull());
  expect(screen.queryByRole("option", { name: "m_empty" })).toBeNull();
  write("Mission", "m_1");
  await screen.findByLabelText("Codex");
  fireEvent.click(screen.getByRole("button", { name: "Start run" }));

  await waitFor(() => expect(address()).toBe("/runs/run_1"));
  expect(called("run_start")).toEqual([
    { mission_id: "m_1", agents: [{ client: "codex", count: 1 }], review: "risk", land: false },
  ]);
});
