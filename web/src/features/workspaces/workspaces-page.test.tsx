import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { WorkspacesPage } from "./workspaces-page";

const WORKSPACE = {
  id: "w_1",
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

async function confirmRemoval(removed: unknown) {
  const page = renderPage(<WorkspacesPage />, {
    workspace_list: { workspaces: [WORKSPACE] },
    workspace_update: {},
    workspace_remove: removed,
  });
  fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
  expect(page.called("workspace_remove")).toEqual([]);
  fireEvent.click(screen.getByRole("button", { name: "Save work and remove" }));
  return page;
}

test("an active workspace is abandoned and then removed with its work saved, after a confirmation", async () => {
  const { called } = await confirmRemoval({});

  await waitFor(() => expect(called("workspace_list")).toHaveLength(2));
  expect(called("workspace_update")).toEqual([{ id: "w_1", status: "abandoned" }]);
  expect(called("workspace_remove")).toEqual([{ id: "w_1", save: true }]);
});

test("a workspace that cannot be removed is active again, and the reason is shown", async () => {
  const { called } = await confirmRemoval(new Error("A process uses the folder"));

  expect((await screen.findByRole("alert")).textContent).toContain("A process uses the folder");
  expect(called("workspace_update").map(({ status }) => status)).toEqual(["abandoned", "active"]);
});
