import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { type DaemonStatus, Health } from "./settings-page";

const STATUS: DaemonStatus = {
  version: "1.0",
  pid: 7,
  started_at: "2026-01-15T10:00:00Z",
  host: "here",
  executions: 0,
  events: 12,
  database: "SQLite",
  database_bytes: 1_000,
  free_bytes: 50_000_000_000,
  internal_errors: null,
  settings_file: "/settings.toml",
  settings: [],
};

test("a daemon without problems is healthy", () => {
  renderPage(<Health status={STATUS} />);
  expect(screen.getByText("Healthy")).toBeTruthy();
});

test("a daemon with internal errors is not healthy, and says where to look", () => {
  const internal_errors = { total: 3, entry_id: "log_1", tool: "task_get", at: "2026-01-15T10:00:00Z" };
  renderPage(<Health status={{ ...STATUS, internal_errors }} />);

  expect(screen.queryByText("Healthy")).toBeNull();
  expect(screen.getByText(/3 internal errors in the last 24 hours/)).toBeTruthy();
  expect(screen.getByText("mission audit log_1")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Show failed calls" }).getAttribute("href")).toBe("/audit?status=error");
});
