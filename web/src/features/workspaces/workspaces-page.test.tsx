import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { WorkspacesPage } from "./workspaces-page";

const WORKSPACE = {
  id: "w_1",
  workflow_id: "m_1",
  mission_name: "Tidy up",
  repository_path: "/code/shop",
  merge_commit: null,
  tasks: [] as object[],
  path: "/code/paths",
  branch: "paths",
  base_branch: "main",
  status: "active",
  task_ids: [],
  kept_branch: null,
  removed_at: null,
  host_id: "here",
  created_at: "2026-01-15T10:00:00Z",
  state: { exists: true, ahead: 0, behind: 0, dirty: true, uncommitted: ["new.txt"] },
};

const show = (more: object = {}, tools: object = {}) =>
  renderPage(<WorkspacesPage />, {
    overview_workspaces: { workspaces: [{ ...WORKSPACE, ...more }], total: 1 },
    overview_workspace_sizes: { sizes: [{ workspace_id: "w_1", bytes: 12_400_000, whole: true }] },
    ...tools,
  });

async function confirmRemoval(removed: unknown) {
  const page = show({}, { workspace_update: {}, workspace_remove: removed });
  expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
  fireEvent.click(await screen.findByRole("button", { name: "More about paths" }));
  fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
  expect(page.called("workspace_remove")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Save work and remove" }));
  return page;
}

test("an active workspace is abandoned and then removed with its work saved, after a confirmation", async () => {
  const { called } = await confirmRemoval({});

  await waitFor(() => expect(called("overview_workspaces")).toHaveLength(2));
  expect(called("workspace_update")).toEqual([{ id: "w_1", status: "abandoned" }]);
  expect(called("workspace_remove")).toEqual([{ id: "w_1", save: true }]);
});

test("a workspace that cannot be removed is active again, and the reason is shown", async () => {
  const { called } = await confirmRemoval(new Error("A process uses the folder"));

  expect((await screen.findByRole("alert")).textContent).toContain("A process uses the folder");
  expect(called("workspace_update").map(({ status }) => status)).toEqual(["abandoned", "active"]);
});

test("a workspace is one line with task, branch, state and size, under its mission", async () => {
  const tasks = [{ id: "t_1", name: "Sort", state: "working", agent: "ada", running: true }];
  show({ tasks });
  expect(await screen.findByText("12.4 MB")).toBeTruthy();
  expect(screen.getByRole("heading", { name: "Tidy up 1" })).toBeTruthy();

  expect(screen.getByText("Uncommitted · 1 file")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Sort" }).getAttribute("href")).toBe("/tasks/t_1");
  expect(screen.getByRole("link", { name: "Diff" }).getAttribute("href")).toBe("/tasks/t_1#changes");
});

test("a worktree in which an agent works cannot be removed", async () => {
  show({ tasks: [{ id: "t_1", name: "Sort", state: "working", agent: "ada", running: true }] });
  fireEvent.click(await screen.findByRole("button", { name: "More about paths" }));

  expect(screen.getByText("It cannot be removed while its task is open: Sort.")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
});

test("a merge is recorded with its commit", async () => {
  const { called } = show({}, { workspace_update: {} });
  fireEvent.click(await screen.findByRole("button", { name: "Merge" }));
  expect(screen.getByText("git -C /code/shop merge --no-ff paths")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Merge commit"), { target: { value: " abc1234 " } });
  fireEvent.click(screen.getByRole("button", { name: "Mark as merged" }));

  await waitFor(() =>
    expect(called("workspace_update")).toEqual([{ id: "w_1", status: "merged", merge_commit: "abc1234" }]),
  );
});
