import { act, screen } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";

import type { RunGlance } from "@/api/types";
import { renderPage } from "@/testing/render-page";
import { execution } from "@/testing/samples";
import { serverNow } from "@/ui/hooks/use-server-clock";
import { ExecutionTile } from "./execution-tile";

let scroll: (visible: boolean) => void;
const sockets: string[] = [];

class FakeObserver {
  constructor(seen: (entries: { isIntersecting: boolean }[]) => void) {
    scroll = (isIntersecting) => act(() => seen([{ isIntersecting }]));
  }
  observe() {}
  disconnect() {}
}

class FakeSocket {
  constructor(address: string) {
    sockets.push(new URL(address).pathname);
  }
  close() {}
}

beforeEach(() => {
  sockets.length = 0;
  vi.stubGlobal("IntersectionObserver", FakeObserver);
  vi.stubGlobal("WebSocket", FakeSocket);
});

const ago = (seconds: number) => new Date(serverNow() - seconds * 1_000).toISOString();

function show(more: Partial<RunGlance>, chosen = false) {
  const shown = { shown_at: ago(1), ...more };
  renderPage(
    <ul>
      <ExecutionTile execution={execution(shown)} chosen={chosen} search="?view=tiles" />
    </ul>,
  );
}

test("a tile links to its execution, and its output loads only while it is visible", () => {
  show({}, true);
  const link = screen.getByRole("link", { name: /ada/ });
  expect([link.getAttribute("href"), link.getAttribute("aria-current")]).toEqual([
    "/executions/x_1?view=tiles",
    "true",
  ]);
  expect([sockets, document.querySelector(".urgent")]).toEqual([[], null]);

  scroll(true);
  expect(sockets).toEqual(["/ws/executions/x_1/terminal"]);
});

test("a silent execution stands out, and its cost is shown", () => {
  show({ shown_at: ago(1_800), usage: { cost_usd: 1.5 } });
  expect(document.querySelector(".urgent")?.textContent).toMatch(/^silent (29|30) min/);
  expect(screen.getByText("$1.50")).toBeTruthy();
});

test("an agent whose task is blocked is shown as blocked, not as running", () => {
  show({ task_state: "blocked", updated_at: ago(240) });
  expect(screen.getByRole("img", { name: "Blocked" })).toBeTruthy();
  expect(document.querySelector(".urgent")?.textContent).toBe("blocked 4 min");
});
