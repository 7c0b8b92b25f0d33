import { expect, test } from "vitest";

import { keepTail, lastLines } from "./tail";

test("colours and titles are left out, and a line that was drawn over shows its last state", () => {
  const text = "\u001b]0;title\u0007\u001b[31mred\u001b[0m\r\n\r\n10 %\r50 %\r100 %\r\n\u001b[2K> \u001b[?25h";
  expect(lastLines(text, 6)).toEqual(["red", "100 %", ">"]);
});

test("only the last lines are shown, and markup stays text", () => {
  expect(lastLines("a\nb\n<b>c</b>\nd", 2)).toEqual(["<b>c</b>", "d"]);
});

test("what is kept has a bound", () => {
  expect(keepTail("x".repeat(20_000), "end").length).toBe(16_384);
  expect(keepTail("x".repeat(20_000), "end").endsWith("end")).toBe(true);
});
