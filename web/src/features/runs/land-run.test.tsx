import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run } from "@/testing/samples";
import { LandButton } from "./land-run";

const open = () => fireEvent.click(screen.getByRole("button", { name: "Land…" }));

test("a run lands on another branch as one commit, and what stays is listed", async () => {
  const { called } = renderPage(<LandButton run={run({ state: "finished" })} />, {
    run_land: {
      run_id: "run_1",
      mission_id: "m_1",
      target: "release",
      commit: "a".repeat(40),
      squash: true,
      removed: ["x", "y"],
      kept: [{ name: "mission/tidy-up-1.2", reason: "its work is not contained" }],
    },
  });
  open();
  fireEvent.change(screen.getByPlaceholderText("main"), { target: { value: "release" } });
  fireEvent.click(screen.getByRole("checkbox", { name: "Land as one commit" }));
  fireEvent.click(screen.getByRole("button", { name: "Land" }));

  expect(await screen.findByRole("heading", { name: "Landed" })).toBeTruthy();
  expect(called("run_land")).toEqual([{ run_id: "run_1", squash: true, target: "release" }]);
  expect(screen.getByText("mission/tidy-up-1.2: its work is not contained")).toBeTruthy();
});

test("a refusal is shown as it is, and it can be tried again", async () => {
  renderPage(<LandButton run={run({ state: "finished" })} />, {
    run_land: new Error("README.md was changed locally and is in the way"),
  });
  open();
  fireEvent.click(screen.getByRole("button", { name: "Land" }));

  expect((await screen.findByRole("alert")).textContent).toContain("README.md was changed locally");
  await waitFor(() => expect(screen.getByRole("button", { name: "Land" }).hasAttribute("disabled")).toBe(false));
});
