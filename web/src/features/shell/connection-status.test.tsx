import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import type { Connection } from "@/live/event-socket";
import { live } from "@/live/live-connection";
import { renderPage } from "@/testing/render-page";
import { ConnectionLine, ConnectionNotice } from "./connection-status";

function show(connection: Connection) {
  vi.spyOn(live, "state").mockReturnValue(connection);
  renderPage(
    <>
      <ConnectionLine />
      <ConnectionNotice />
    </>,
  );
}

test("a live connection shows the number of the last event and no notice", () => {
  show({ state: "live", seq: 48_291, caughtUp: null });

  expect(document.body.textContent).toMatch(/^Live#48.291$/);
  expect(screen.queryByRole("status")).toBeNull();
});

test("a lost connection says since when, and can be retried at once", () => {
  const retry = vi.spyOn(live, "tryNow").mockImplementation(() => undefined);
  show({ state: "lost", seq: 7, since: new Date(2026, 0, 1, 7, 42, 5).getTime(), retryAt: Date.now() + 2_500 });

  expect(screen.getByRole("status").textContent).toContain("Not connected since 07:42:05.");
  expect(screen.getByRole("status").textContent).toContain("Retrying in 3 s.");
  fireEvent.click(screen.getByRole("button", { name: "Retry now" }));
  expect(retry).toHaveBeenCalled();
});

test("after a break it says how many events arrived", () => {
  show({ state: "live", seq: 9, caughtUp: 2 });

  expect(screen.getByRole("status").textContent).toBe(
    "Caught up. 2 events arrived while you were disconnected. Nothing is missing.",
  );
});
