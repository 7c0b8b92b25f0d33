import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { TakeOverButton } from "./take-over";

test("taking over shows the exact command, which can be copied", async () => {
  const writeText = vi.fn(async () => undefined);
  vi.stubGlobal("navigator", { clipboard: { writeText } });
  renderPage(<TakeOverButton taskId="t_1" />);
  fireEvent.click(screen.getByRole("button", { name: "Take over…" }));
  expect(screen.getByText("mission shell t_1")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));

  expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
  expect(writeText).toHaveBeenCalledWith("mission shell t_1");
});
