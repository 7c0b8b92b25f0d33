import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { runRow } from "@/testing/samples";
import { RunsPage } from "./runs-page";

test("runs under way come first, with their progress and questions", async () => {
  renderPage(<RunsPage />, {
    run_list: ({ state }: { state: string[] }) => ({
      runs: state.includes("running")
        ? [runRow({ questions: 2, reason: "codex is out of quota until 14:00" })]
        : [runRow({ run_id: "run_0", mission_name: "Before", state: "stopped", ended_at: "2026-01-15T11:00:00Z" })],
      next_cursor: null,
    }),
  });

  const link = await screen.findByRole("link", { name: "Tidy up" });
  expect(link.getAttribute("href")).toBe("/runs/run_1");
  expect(
    screen.getByText("Running · 1 of 4 tasks merged · 2 open questions · codex is out of quota until 14:00"),
  ).toBeTruthy();
  expect(await screen.findByRole("link", { name: "Before" })).toBeTruthy();
});

test("without runs it says how to start one", async () => {
  renderPage(<RunsPage />, { run_list: { runs: [], next_cursor: null } });

  expect(await screen.findByText("No runs in progress")).toBeTruthy();
  expect(screen.getByText("mission run plan.toml")).toBeTruthy();
});
