import { expect, test } from "vitest";

import { LastLines } from "./last-lines";
import { MarkerLines } from "./marker-lines";

const marker = (signal: object, more: object = {}) =>
  `@task::${JSON.stringify({ version: 1, agentExecutionId: "x_1", eventId: "1", signal, ...more })}`;
const PROGRESS = marker({ type: "progress", summary: "Wrote the handler" });

/** Write the pieces and return what an emulator shows then, line by line. */
async function shown(...pieces: string[]): Promise<string[]> {
  const lines = new MarkerLines("x_1");
  const text = pieces.map((piece) => lines.write(piece)).join("") + lines.end();
  const screen = new LastLines();
  await new Promise<void>((done) => screen.write(text, done));
  const found = screen.lines(20).map((line) => line.map((each) => each.text).join(""));
  screen.dispose();
  return found;
}

test("each kind of signal is one line in words", async () => {
  const signals = [
    { type: "progress", summary: "Wrote the handler", detail: "long" },
    { type: "needs_input", question: "Should the export\nhave a header?" },
    { type: "needs_input", question: "Which one?", choices: [{ kind: "fixed", label: "Yes", value: "y" }, "No"] },
    { type: "blocked", reason: "No database here" },
    { type: "ready_for_verification", summary: "The handler" },
    { type: "completed_claim", summary: "The handler works" },
    { type: "failed_claim", reason: "No Redis here" },
    { type: "message", channel: "agent", text: "Reading the tests" },
    { type: "something_new", note: 1 },
  ];
  expect(await shown(`${signals.map((each) => marker(each)).join("\r\n")}\r\n`)).toEqual([
    "◇ Wrote the handler",
    "? asks: Should the export have a header?",
    "? asks: Which one? (1 Yes · 2 No)",
    "! blocked: No database here",
    "◆ ready to be checked: The handler",
    "✓ reports done: The handler works",
    "✗ reports failure: No Redis here",
    "· Reading the tests",
    "· something_new",
  ]);
});

test("a marker is found wherever the output is cut", async () => {
  const text = `one\n${PROGRESS}\r\ntwo\n`;
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(await shown(text.slice(0, cut), text.slice(cut))).toEqual(["one", "◇ Wrote the handler", "two"]);
  }
  expect(await shown(...text)).toEqual(["one", "◇ Wrote the handler", "two"]);
  expect(await shown(PROGRESS)).toEqual(["◇ Wrote the handler"]);
});

test("a marker longer than the terminal is wide, or in color, is still one signal", async () => {
  const long = marker({ type: "completed_claim", summary: `${"word ".repeat(70)}end` });
  expect((await shown(`${long}\n`)).join("")).toMatch(/^✓ reports done: (word )+word…$/);
  expect(await shown(`\u001b[1;32m${PROGRESS}\u001b[0m\r\n`)).toEqual(["◇ Wrote the handler"]);
  expect(await shown(..."\u001b[32m", PROGRESS, "\u001b[0m\r\n")).toEqual(["◇ Wrote the handler"]);
});

test("what is not a valid marker of this execution stays as it is", async () => {
  const others = [
    "@task::{not json}",
    "@task::[1]",
    marker({ summary: "no type" }),
    marker({ type: "progress", summary: "quoted" }, { agentExecutionId: "x_example" }),
    marker({ type: "progress", summary: "old" }, { version: 2 }),
    `say ${PROGRESS}`,
    "@tasks are many",
    "@",
  ];
  const lines = new MarkerLines("x_1");
  const text = others.join("\n");
  expect(lines.write(text) + lines.end()).toBe(text);
});

test("typed characters appear at once, and a line without end is given up", () => {
  const lines = new MarkerLines("x_1");
  expect(["@", "t", "e", "st"].map((typed) => lines.write(typed))).toEqual(["@", "t", "e", "st"]);
  expect(lines.write("\n@task::{")).toBe("\n");
  const rest = "x".repeat(20_000);
  expect(lines.write(rest)).toBe(`@task::{${rest}`);
  expect(lines.write("more\n")).toBe("more\n");
});

test("a hostile text cannot leave its line", async () => {
  const summary = "a\u001b[2J\u001b]0;owned\u0007\r\n\u009b31mb\u202ec\u0000";
  expect(await shown("first\n", `${marker({ type: "progress", summary })}\n`, "last\n")).toEqual([
    "first",
    "◇ a[2J]0;owned 31mbc",
    "last",
  ]);
});
