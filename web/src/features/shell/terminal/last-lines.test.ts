import { expect, test } from "vitest";

import { LastLines } from "./last-lines";

async function shown(text: string, count: number) {
  const tail = new LastLines();
  await new Promise<void>((done) => tail.write(text, done));
  const lines = tail.lines(count);
  tail.dispose();
  return lines;
}
const words = (lines: { text: string }[][]) => lines.map((line) => line.map((each) => each.text).join(""));

test("an overwritten line shows its last state, and markup stays text", async () => {
  const text =
    "\u001b]0;title\u0007\u001b[31mred\u001b[0m <b>plain</b>\r\n\r\n10 %\r50 %\r100 %\r\n\u001b[2K> \u001b[?25h";
  const lines = await shown(text, 6);
  expect(words(lines)).toEqual(["red <b>plain</b>", "100 %", "> "]);
  expect(lines[0]![0]).toEqual({ text: "red ", color: "red" });
});

test("output of a program that moves the cursor is shown as on its screen", async () => {
  const lines = await shown("\u001b[2J\u001b[H\u001b[3;1Hthird\u001b[1;1Hfirst\u001b[2;1H\u001b[38;2;1;2;255mexact", 2);
  expect(words(lines)).toEqual(["exact", "third"]);
  expect(lines[0]![0]!.color).toBe("#0102ff");
});
