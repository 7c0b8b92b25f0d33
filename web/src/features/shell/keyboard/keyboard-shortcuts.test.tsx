import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { renderPage } from "@/testing/render-page";
import { useKeys, useShortcuts } from "./keyboard-shortcuts";

function Page({ help, keys }: { help: () => void; keys: Record<string, () => void> }) {
  useShortcuts(help);
  useKeys(keys);
  return <input aria-label="Name" />;
}

test("g and a letter go to a page, and the letter does nothing else", () => {
  const m = vi.fn();
  const { address } = renderPage(<Page help={vi.fn()} keys={{ m }} />);
  fireEvent.keyDown(document.body, { key: "g" });
  fireEvent.keyDown(document.body, { key: "m" });

  expect([address(), m.mock.calls.length]).toEqual(["/missions", 0]);
  fireEvent.keyDown(document.body, { key: "m" });
  expect(m).toHaveBeenCalledTimes(1);
});

test("shortcuts are off while typing, and Esc leaves the field", () => {
  const help = vi.fn();
  renderPage(<Page help={help} keys={{}} />);
  const field = screen.getByLabelText("Name");
  field.focus();
  fireEvent.keyDown(field, { key: "?" });
  expect(help).not.toHaveBeenCalled();

  fireEvent.keyDown(field, { key: "Escape" });
  expect(document.activeElement).toBe(document.body);
  fireEvent.keyDown(document.body, { key: "?" });
  expect(help).toHaveBeenCalled();
});
