import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { task } from "@/testing/samples";
import { TaskActions } from "./task-actions";

const buttons = () => screen.getAllByRole("button").map((button) => button.textContent);

test("the actions fit the state of the task", () => {
  renderPage(<TaskActions task={task()} />);
  expect(buttons()).toEqual(["Launch", "Assign", "Skip"]);
});

test("a failed task can be retried", async () => {
  const { called } = renderPage(<TaskActions task={task({ status: "failed" })} />, { task_update_status: {} });
  expect(buttons()).toEqual(["Retry", "Launch", "Assign", "Skip"]);
  fireEvent.click(screen.getByRole("button", { name: "Retry" }));

  await waitFor(() => expect(called("task_update_status")).toEqual([{ id: "t_1", status: "pending" }]));
});

test("an owned task can be released, and a refusal is shown", async () => {
  const owned = task({ status: "in_progress", assigned_agent_id: "a_1" });
  const { called } = renderPage(<TaskActions task={owned} />, { task_release: new Error("The lease has expired") });
  expect(buttons()).toEqual(["Assign", "Release", "Skip"]);
  fireEvent.click(screen.getByRole("button", { name: "Release" }));

  expect((await screen.findByRole("alert")).textContent).toContain("The lease has expired");
  expect(called("task_release")[0]).toMatchObject({ task_id: "t_1", agent_id: "a_1" });
});

test("a finished task has no actions", () => {
  renderPage(<TaskActions task={task({ status: "completed" })} />);
  expect(screen.queryAllByRole("button")).toEqual([]);
});
