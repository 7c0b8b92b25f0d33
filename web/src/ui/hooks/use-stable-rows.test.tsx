import { act, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { useSelectedRow, useStableRows } from "./use-stable-rows";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function List({ ids }: { ids: string }) {
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useStableRows(
    [...ids].map((id) => ({ id })),
    list,
  );
  const { chosen } = useSelectedRow(shown);
  return (
    <>
      <button type="button" onClick={show}>
        {fresh} new
      </button>
      <ul ref={list}>
        {shown.map((row) => (
          <li key={row.id} data-chosen={row === chosen || undefined}>
            {row.id}
          </li>
        ))}
      </ul>
    </>
  );
}

const rows = () => screen.queryAllByRole("listitem").map((row) => row.textContent);
const chosen = () => document.querySelector("[data-chosen]")?.textContent;

test("nothing moves under the pointer until a pause or a click on the new rows", () => {
  const { rerender } = render(<List ids="abc" />);
  fireEvent.pointerMove(screen.getByText("b"));
  rerender(<List ids="xcab" />);
  expect([rows(), screen.getByRole("button").textContent]).toEqual([["a", "b", "c"], "1 new"]);
  expect(chosen()).toBe("a");

  act(() => void vi.advanceTimersByTime(3_100));
  expect([rows(), chosen()]).toEqual([["x", "c", "a", "b"], "a"]);

  fireEvent.pointerMove(screen.getByText("b"));
  rerender(<List ids="yxcab" />);
  fireEvent.click(screen.getByRole("button"));
  expect(rows()).toEqual(["y", "x", "c", "a", "b"]);
});

test("a removed row disappears at once, and the next row is selected", () => {
  const { rerender } = render(<List ids="abc" />);
  fireEvent.pointerMove(screen.getByText("b"));
  rerender(<List ids="bc" />);

  expect([rows(), chosen()]).toEqual([["b", "c"], "b"]);
});
