import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { agent, task } from "@/testing/samples";
import { AssignForm } from "./assign-form";

const AGENTS = { agents: [agent(), agent({ id: "a_2", name: "bob", status: "busy" })], next_cursor: null };

test("a task is taken from its owner before another agent gets it", async () => {
  const [close, done] = [vi.fn(), vi.fn()];
  const owned = task({ status: "in_progress", assigned_agent_id: "a_1" });
  const { calls } = renderPage(<AssignForm task={owned} close={close} done={done} />, {
    agent_list: AGENTS,
    task_release: { success: true },
    task_claim: { success: true },
  });
  await screen.findByRole("option", { name: "bob (busy)" });
  expect(screen.queryByRole("option", { name: /ada/ })).toBeNull();
  expect(document.body.textContent).toContain("The current owner will lose it.");
  fireEvent.change(screen.getByLabelText("Agent"), { target: { value: "a_2" } });
  fireEvent.click(screen.getByRole("button", { name: "Assign" }));

  await waitFor(() => expect(done).toHaveBeenCalled());
  expect(calls.slice(-2).map(({ tool, args }) => [tool, args.agent_id])).toEqual([
    ["task_release", "a_1"],
    ["task_claim", "a_2"],
  ]);
  expect(close).toHaveBeenCalled();
});

test("a task that cannot be claimed keeps the form open and says why", async () => {
  const close = vi.fn();
  renderPage(<AssignForm task={task()} close={close} />, { agent_list: AGENTS, task_claim: { success: false } });
  await screen.findByRole("option", { name: /ada/ });
  fireEvent.change(screen.getByLabelText("Agent"), { target: { value: "a_1" } });
  fireEvent.click(screen.getByRole("button", { name: "Assign" }));

  expect((await screen.findByRole("alert")).textContent).toContain("The task cannot be assigned now.");
  expect(close).not.toHaveBeenCalled();
});
