import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { AuditEntry } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { agent, fleetAgent, overview } from "@/testing/samples";
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
  ...more,
});

test("calls show the names of their agents, and only unknown agents are loaded", async () => {
  const { calls, called } = renderPage(<AuditPage />, {
    overview: overview({ fleet: [fleetAgent()] }),
    audit_list: {
      entries: [entry("1", { agent_id: "a_1" }), entry("2", { agent_id: "a_9" }), entry("3")],
      next_cursor: null,
    },
    agent_get: agent({ id: "a_9", name: "eve" }),
  });
  await screen.findByText("eve · mcp");

  const who = [...document.querySelectorAll(".who")].map((cell) => cell.textContent);
  expect(who).toEqual(["ada · mcp", "eve · mcp", "operator · mcp"]);
  expect(called("agent_get")).toEqual([{ id: "a_9" }]);
  expect(calls.map(({ tool }) => tool)).not.toContain("agent_list");
});

test("a call opens to show its arguments and error", async () => {
  const refused = entry("1", { status: "denied", arguments: { id: "t_1" }, error: { message: "not yours" } });
  renderPage(<AuditPage />, { overview: overview(), audit_list: { entries: [refused], next_cursor: null } });
  const row = await screen.findByRole("button", { name: /tool_1/ });
  expect(row.textContent).toContain("not yours");
  fireEvent.click(row);

  expect(document.querySelector("pre")?.textContent).toContain('"id": "t_1"');
});

test("filters are part of the address and of the request", async () => {
  const { called, address } = renderPage(<AuditPage />, {
    overview: overview(),
    audit_list: { entries: [], next_cursor: null },
  });
  await screen.findByText("No calls yet");
  fireEvent.click(screen.getByRole("button", { name: "denied" }));

  await screen.findByText("No matching calls");
  expect(address()).toBe("/?status=denied");
  expect(called("audit_list").at(-1)).toMatchObject({ status: "denied", except_transport: "page" });
});
