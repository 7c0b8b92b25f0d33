import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { NewMissionForm } from "./new-mission-form";

const fill = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });

test("a mission starts with its goal and folder, and its page opens", async () => {
  const { called, address } = renderPage(<NewMissionForm close={vi.fn()} />, { workflow_create: { id: "m_9" } });
  expect(screen.getByRole("button", { name: "Start mission" }).hasAttribute("disabled")).toBe(true);
  fill("Name", " Tidy up ");
  fill("Goal", "Sort every tool");
  fill(/Repository folder/, "/code/shed");
  fireEvent.click(screen.getByRole("button", { name: "Start mission" }));

  await waitFor(() => expect(address()).toBe("/missions/m_9"));
  expect(called("workflow_create")).toEqual([
    { name: "Tidy up", source_type: "prompt", source_content: "Sort every tool", repository_path: "/code/shed" },
  ]);
});

test("without a goal the name is the goal, and Cancel closes the form", async () => {
  const close = vi.fn();
  const { called } = renderPage(<NewMissionForm close={close} />, { workflow_create: { id: "m_9" } });
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect(close).toHaveBeenCalled();
  fill("Name", "Tidy up");
  fireEvent.click(screen.getByRole("button", { name: "Start mission" }));

  await waitFor(() => expect(called("workflow_create")[0]).toMatchObject({ source_content: "Tidy up" }));
});
