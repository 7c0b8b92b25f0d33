import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { ErrorBoundary } from "./error-boundary";

function Broken(): never {
  throw new Error("chunk is missing");
}

test("a page that fails shows why and offers to reload; another address shows its own page", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const reload = vi.spyOn(location, "reload").mockImplementation(() => undefined);
  const boundary = (at: string, broken: boolean) => (
    <ErrorBoundary at={at}>{broken ? <Broken /> : <p>Missions</p>}</ErrorBoundary>
  );
  const { rerender } = render(boundary("/inbox", true));

  expect(screen.getByRole("heading", { name: "Something went wrong on this page" })).toBeTruthy();
  expect(screen.getByRole("alert").textContent).toContain("chunk is missing");
  fireEvent.click(screen.getByRole("button", { name: "Reload" }));
  expect(reload).toHaveBeenCalled();

  rerender(boundary("/missions", false));
  expect(screen.getByText("Missions")).toBeTruthy();
});

test("a page that could not be loaded without a connection says so, without technical words", () => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  const NotLoaded = () => {
    throw new Error("Failed to fetch dynamically imported module: http://127.0.0.1/assets/inbox.js");
  };
  render(
    <ErrorBoundary at="/inbox">
      <NotLoaded />
    </ErrorBoundary>,
  );

  expect(screen.getByRole("heading", { name: "Not connected" })).toBeTruthy();
  expect(document.body.textContent).not.toContain("assets");
});
