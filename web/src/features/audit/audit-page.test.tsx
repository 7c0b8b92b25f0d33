import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { AuditEntry } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { AuditPage } from "./audit-page";

const entry = (id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
  id,
  at: "2026-01-15T10:00:00Z",
  finished_at: "2026-01-15T10:00:00.012Z",
  transport: "mcp",
  caller: "operator",
  agent_id: null,
  tool: `tool_${id}`,
  status: "ok",
  mission_id: null,
  task_id: null,
  arguments: {},
  result: {},
  error: null,
  trace: null,
  agent_name: null,
  task_name: null,
  mission_name: null,
  ...more,
});

test("a call shows who called what about which task, and links to it", async () => {
  const entries = [
    entry("1", { agent_id: "a_1", agent_name: "ada", task_id: "t_1", task_name: "Sort", mission_id: "m_1" }),
    entry("2", { mission_id: "m_1", mission_name: "Tidy up" }),
    entry("3", { task_id: "t_gone" }),
  ];
  renderPage(<AuditPage />, { audit_list: { entries, next_cursor: null } });
  await screen.findByText("ada · mcp");

  const links = screen.getAllByRole("link").map((link) => [link.textContent, link.getAttribute("href")]);
  expect(links).toEqual([
    ["Sort", "/tasks/t_1"],
    ["Tidy up", "/missions/m_1"],
    ["t_gone", "/tasks/t_gone"],
  ]);
  expect([...document.querySelectorAll(".who")].map((cell) => cell.textContent)).toEqual([
    "ada · mcp",
    "operator · mcp",
    "operator · mcp",
  ]);
});

test("calls that only read are left out until they are asked for", async () => {
  const { called, address } = renderPage(<AuditPage />, { audit_list: { entries: [], next_cursor: null } });
  await screen.findByText("No calls yet");
  expect(called("audit_list").at(-1)).toMatchObject({ reads: false, names: true });
  fireEvent.click(screen.getByRole("button", { name: "Reads too" }));

  await screen.findByText("No matching calls");
  expect(address()).toBe("/?reads=1");
  expect(called("audit_list").at(-1)).toMatchObject({ reads: true });
});

test("a call opens to show its arguments and error", async () => {
  const refused = entry("1", { status: "denied", arguments: { id: "t_1" }, error: { message: "not yours" } });
  renderPage(<AuditPage />, { audit_list: { entries: [refused], next_cursor: null } });
  const row = await screen.findByRole("button", { name: /tool_1/ });
  expect(row.textContent).toContain("not yours");
  fireEvent.click(row);

  expect(document.querySelector("pre")?.textContent).toContain('"id": "t_1"');
});

test("filters are part of the address and of the request", async () => {
  const { called, address } = renderPage(<AuditPage />, {
    audit_list: { entries: [], next_cursor: null },
  });
  await screen.findByText("No calls yet");
  fireEvent.click(screen.getByRole("button", { name: "denied" }));

  await screen.findByText("No matching calls");
  expect(address()).toBe("/?status=denied");
  expect(called("audit_list").at(-1)).toMatchObject({ status: "denied", except_transport: "page" });
});
