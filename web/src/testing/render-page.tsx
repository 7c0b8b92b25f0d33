// Renders components for tests, with a router, a query client and a fake server.
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactElement } from "react";
import { MemoryRouter, useLocation } from "react-router";
import { vi } from "vitest";

import type { ToolName } from "@/api/call-tool";

/** A result, or a function that returns it for the arguments of a call; an Error is answered as a refusal. */
export type FakeTools = Partial<Record<ToolName, unknown>>;

export interface Call {
  tool: string;
  args: Record<string, unknown>;
}

/** Render with these tools on the server; `calls` records what was called, `address` returns where the router is. */
export function renderPage(ui: ReactElement, tools: FakeTools = {}, at = "/") {
  const calls: Call[] = [];
  let address = at;
  vi.stubGlobal("fetch", async (path: string, init: { body?: string } = {}) => {
    const tool = path.split("/").at(-1)!;
    const args = JSON.parse(init.body ?? "{}") as Record<string, unknown>;
    calls.push({ tool, args });
    const found = tools[tool as ToolName];
    const result = typeof found === "function" ? (found as (args: unknown) => unknown)(args) : found;
    if (result === undefined || result instanceof Error) {
      const message = result?.message ?? `no result for ${tool}`;
      return Response.json({ error: { code: "REFUSED", message, hint: null, details: {} } }, { status: 409 });
    }
    return Response.json(result);
  });
  const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: Infinity } } });
  const Address = () => {
    const { pathname, search } = useLocation();
    address = pathname + search;
    return null;
  };
  const wrap = (children: ReactElement) => (
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[at]}>
        <Address />
        {children}
      </MemoryRouter>
    </QueryClientProvider>
  );
  render(wrap(ui));
  return {
    calls,
    called: (tool: ToolName) => calls.filter((call) => call.tool === tool).map((call) => call.args),
    address: () => address,
  };
}
