import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { useRef } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { useChosen, useSteady } from "./use-stable-rows";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function List({ ids }: { ids: string }) {
  const list = useRef<HTMLUListElement>(null);
  const { shown, fresh, show } = useSteady(
    [...ids].map((id) => ({ id })),
    list,
  );
  const { chosen } = useChosen(shown);
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

test("under the pointer nothing moves until a pause, or a click on what is new", () => {
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

test("what is gone leaves at once, and the next row takes its place for the keys", () => {
  const { rerender } = render(<List ids="abc" />);
  fireEvent.pointerMove(screen.getByText("b"));
  rerender(<List ids="bc" />);

  expect([rows(), chosen()]).toEqual([["b", "c"], "b"]);
});
