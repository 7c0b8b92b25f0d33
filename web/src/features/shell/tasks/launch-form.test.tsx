import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { overview } from "@/testing/samples";
import { LaunchAnyTaskForm, LaunchForm } from "./launch-form";

const CLIENTS = [
  { name: "codex", title: "Codex", installed: true, interactive: true },
  { name: "claude-code", title: "Claude Code", installed: false, interactive: true },
  { name: "command", title: "Any program", installed: true, interactive: true },
];

test("an installed client is launched with its arguments, and its terminal opens", async () => {
  const close = vi.fn();
  const { called, address } = renderPage(<LaunchForm taskId="t_1" close={close} />, {
    adapter_list: { adapters: CLIENTS },
    execution_launch: { id: "x_7" },
  });
  await screen.findByRole("combobox", { name: "Client" });
  expect(screen.getAllByRole("option").map((option) => option.textContent)).toEqual(["Codex", "Any program"]);
  fireEvent.change(screen.getByLabelText(/^Model/), { target: { value: "o3" } });
  fireEvent.change(screen.getByLabelText(/^Additional arguments/), { target: { value: "--hint 'a b'" } });
  fireEvent.click(screen.getByRole("checkbox", { name: "Interactive terminal" }));
  fireEvent.click(screen.getByRole("button", { name: "Launch" }));

  await waitFor(() => expect(address()).toBe("/executions/x_7"));
  expect(called("execution_launch")).toEqual([
    { task_id: "t_1", adapter: "codex", interactive: false, arguments: ["--model", "o3", "--hint", "a b"] },
  ]);
  expect(close).toHaveBeenCalled();
});

test("without a client any program can be launched, once it is named; a refusal is shown", async () => {
  const { address } = renderPage(<LaunchForm taskId="t_1" close={vi.fn()} />, {
    adapter_list: { adapters: CLIENTS.slice(1) },
    execution_launch: new Error("'nope' does not exist"),
  });
  await screen.findByText("No agent client is installed on this machine. You can launch any program instead.");
  const launch = screen.getByRole("button", { name: "Launch" });
  expect(launch.hasAttribute("disabled")).toBe(true);
  fireEvent.change(screen.getByLabelText("Program and arguments"), { target: { value: "nope" } });
  fireEvent.click(launch);

  expect((await screen.findByRole("alert")).textContent).toContain("'nope' does not exist");
  expect(address()).toBe("/");
});

test("all fields are there from the start, and nothing is launched before a task is selected", async () => {
  const { called } = renderPage(<LaunchAnyTaskForm close={vi.fn()} />, {
    overview: overview({ missions: [{ id: "m_1", name: "Tidy up" }] as never }),
    adapter_list: { adapters: CLIENTS },
    workflow_next_tasks: { tasks: [{ id: "t_9", name: "Sweep" }] },
    execution_launch: { id: "x_7" },
  });
  await screen.findByRole("combobox", { name: "Client" });
  const launch = screen.getByRole<HTMLButtonElement>("button", { name: "Launch" });
  expect(launch.disabled).toBe(true);
  await screen.findByRole("option", { name: "Tidy up" });
  fireEvent.change(screen.getByLabelText("Mission"), { target: { value: "m_1" } });
  await screen.findByRole("option", { name: "Sweep" });
  fireEvent.change(screen.getByLabelText("Ready task"), { target: { value: "t_9" } });
  fireEvent.click(launch);

  await waitFor(() => expect(called("execution_launch")[0]).toMatchObject({ task_id: "t_9", adapter: "codex" }));
});

test("a mission without ready tasks says so", async () => {
  renderPage(<LaunchAnyTaskForm close={vi.fn()} />, {
    overview: overview({ missions: [{ id: "m_1", name: "Tidy up" }] as never }),
    adapter_list: { adapters: CLIENTS },
    workflow_next_tasks: { tasks: [] },
  });
  await screen.findByRole("option", { name: "Tidy up" });
  fireEvent.change(screen.getByLabelText("Mission"), { target: { value: "m_1" } });

  expect(await screen.findByText(/No tasks in this mission are ready/)).toBeTruthy();
  expect(screen.queryByLabelText("Ready task")).toBeNull();
});
