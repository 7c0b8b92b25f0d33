import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { DialogButton } from "./dialog";

test("a dialog is separate from the form and row around its button, and starts fresh each time", () => {
  const [row, outer, inner] = [vi.fn(), vi.fn(), vi.fn((event: Event) => event.preventDefault())];
  render(
    // biome-ignore lint/a11y/useKeyWithClickEvents: imitates a row that reacts to clicks
    <form onSubmit={outer} onClick={row}>
      <DialogButton word="Open" titled="title" off={false}>
        {(close) => (
          <form aria-label="Inside" onSubmit={(event) => inner(event.nativeEvent)}>
            <h2 id="title">Title</h2>
            <input aria-label="Name" defaultValue="" />
            <button type="button" onClick={close}>
              Cancel
            </button>
          </form>
        )}
      </DialogButton>
    </form>,
  );
  expect(screen.queryByLabelText("Inside")).toBeNull();
  fireEvent.click(screen.getByText("Open"));
  fireEvent.change(screen.getByLabelText("Name"), { target: { value: "x" } });
  fireEvent.submit(screen.getByLabelText("Inside"));

  expect([row.mock.calls.length, outer.mock.calls.length, inner.mock.calls.length]).toEqual([0, 0, 1]);
  expect(screen.getByLabelText("Inside").parentElement?.closest("form")).toBeNull();
  fireEvent.click(screen.getByText("Cancel"));
  fireEvent.click(screen.getByText("Open"));
  expect((screen.getByLabelText("Name") as HTMLInputElement).value).toBe("");
});
