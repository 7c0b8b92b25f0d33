import { afterEach, expect, test, vi } from "vitest";

import { everyPage } from "./use-tool";

afterEach(() => vi.unstubAllGlobals());

test("a whole list has the rows of all its pages, each once", async () => {
  const pages: Record<string, { agents: { id: string }[]; next_cursor: string | null }> = {
    start: { agents: [{ id: "a" }, { id: "b" }], next_cursor: "after b" },
    "after b": { agents: [{ id: "c" }], next_cursor: null },
  };
  const asked: unknown[] = [];
  vi.stubGlobal("fetch", (_address: string, { body }: { body: string }) => {
    const args = JSON.parse(body) as { cursor?: string };
    asked.push(args);
    return Promise.resolve(new Response(JSON.stringify(pages[args.cursor ?? "start"]), { status: 200 }));
  });

  const found = await everyPage("agent_list", { limit: 2 });

  expect(found.agents.map((agent) => agent.id)).toEqual(["a", "b", "c"]);
  expect(asked).toEqual([{ limit: 2 }, { limit: 2, cursor: "after b" }]);
});
