import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { mission, missionTask, runRow } from "@/testing/samples";
import { MissionHeader } from "./mission-header";

const buttons = () => screen.getAllByRole("button").map((button) => button.textContent);

test("a running mission can be paused", async () => {
  const { called } = renderPage(<MissionHeader mission={mission()} />, { workflow_update_status: {} });
  fireEvent.click(screen.getByRole("button", { name: "Pause" }));

  await waitFor(() => expect(called("workflow_update_status")).toEqual([{ id: "m_1", status: "paused" }]));
});

test("a paused mission can be resumed, and a refusal is shown", async () => {
  const { called } = renderPage(<MissionHeader mission={mission({ status: "paused" })} />, {
    workflow_update_status: new Error("The mission has ended"),
  });
  fireEvent.click(screen.getByRole("button", { name: "Resume" }));

  expect((await screen.findByRole("alert")).textContent).toContain("The mission has ended");
  expect(called("workflow_update_status")).toEqual([{ id: "m_1", status: "in_progress" }]);
});

test("a finished mission can be archived, but neither paused nor extended", async () => {
  const { called } = renderPage(<MissionHeader mission={mission({ status: "completed" })} />, { mission_archive: {} });
  expect(buttons()).not.toContain("Pause");
  expect(buttons()).not.toContain("Add task");
  fireEvent.click(screen.getByRole("button", { name: "Archive" }));

  await waitFor(() => expect(called("mission_archive")).toEqual([{ mission_id: "m_1", archived: true }]));
});

test("a goal that only repeats the name is not shown", () => {
  renderPage(<MissionHeader mission={mission({ objective: "Tidy up", source_content: "Tidy up" })} />);
  expect(document.querySelector(".objective")).toBeNull();
});

test("the goal of a workflow comes from its source", () => {
  renderPage(<MissionHeader mission={mission({ source_content: "Sort every tool" })} />);
  expect(screen.getByText("Sort every tool")).toBeTruthy();
});

test("a mission with tasks can be run; a run under way is linked instead", async () => {
  const tasks = [missionTask()];
  renderPage(<MissionHeader mission={mission({ tasks })} />, { run_list: { runs: [], next_cursor: null } });
  expect(await screen.findByRole("button", { name: "Run…" })).toBeTruthy();
  cleanup();
  renderPage(<MissionHeader mission={mission({ tasks })} />, { run_list: { runs: [runRow()], next_cursor: null } });

  expect((await screen.findByRole("link", { name: "Open run" })).getAttribute("href")).toBe("/runs/run_1");
  expect(screen.queryByRole("button", { name: "Run…" })).toBeNull();
});
