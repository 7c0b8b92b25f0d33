import { expect, test } from "vitest";

import type { ItemRow } from "@/api/types";
import { answerOf, choicesOf, describeBlocked, sendLabel, withComments } from "./answer-draft";

const item = (more: Partial<ItemRow>) => ({ id: "q_1", kind: "question", choices: [], ...more }) as ItemRow;
const QUESTION = item({
  choices: [
    { kind: "fixed", label: "Post new", value: "Post a new entry" },
    { kind: "fixed", label: "Reverse", value: "reverse" },
    { kind: "manual", label: "Something else", placeholder: "Say what" },
  ],
});

test("the values of a run's own choices are not shown", () => {
  const run = item({ kind: "run", choices: [{ kind: "fixed", label: "Stop the run", value: "stop" }] });

  expect(choicesOf(run)[0]?.more).toBeNull();
});

test("a choice has a description only if it says more than the label", () => {
  expect(choicesOf(QUESTION).map((choice) => [choice.number, choice.more, choice.fixed])).toEqual([
    [1, "Post a new entry", true],
    [2, null, true],
    [3, null, false],
  ]);
});

test("a fixed choice is an answer by itself, and carries text unless text is a choice of its own", () => {
  const fixed = item({ choices: QUESTION.choices.slice(0, 2) });

  expect(answerOf(fixed, { choice: 1, text: " " })).toEqual({ id: "q_1", choice: 1 });
  expect(answerOf(fixed, { choice: 1, text: "and soon" })).toEqual({ id: "q_1", choice: 1, text: "and soon" });
  expect(answerOf(QUESTION, { choice: 1, text: "not chosen" })).toEqual({ id: "q_1", choice: 1 });
});

test("without a fixed choice an answer needs text", () => {
  expect(answerOf(QUESTION, { choice: null, text: "" })).toBeNull();
  expect(answerOf(QUESTION, { choice: 3, text: "  " })).toBeNull();
  expect(answerOf(QUESTION, { choice: 3, text: "Ask finance" })).toEqual({ id: "q_1", choice: 3, text: "Ask finance" });
  expect(answerOf(QUESTION, { choice: null, text: "No" })).toEqual({ id: "q_1", text: "No" });
});

test("the button of a review shows what it does", () => {
  const review = item({
    kind: "review",
    choices: [
      { kind: "fixed", label: "Approve", value: "accept" },
      { kind: "manual", label: "Send back" },
    ],
  });
  expect(sendLabel(review, { choice: 1, text: "" })).toBe("Approve");
  const older = item({ kind: "review", choices: [{ kind: "fixed", label: "Accept", value: "accept" }] });
  expect(sendLabel(older, { choice: 1, text: "" })).toBe("Approve");
  expect(choicesOf(review)[0]?.more).toBeNull();
  expect(sendLabel(review, { choice: 2, text: "" })).toBe("Send back");
  expect(sendLabel(QUESTION, { choice: 1, text: "" })).toBe("Send answer");
});

test("blocked tasks and agents are counted, and nothing is shown for none", () => {
  expect(describeBlocked({ holds_tasks: 6, holds_agents: 1 })).toBe("blocks 6 tasks, 1 agent");
  expect(describeBlocked({ holds_tasks: 0, holds_agents: 0 })).toBe("");
});

test("comments on lines go with the choice that takes text, as one readable text", () => {
  const review = item({
    kind: "review",
    choices: [
      { kind: "fixed", label: "Approve", value: "accept" },
      { kind: "manual", label: "Send back" },
    ],
  });
  const comments = [
    { file: "src/a.py", line: 12, removed: false, text: "Say since when" },
    { file: "src/a.py", line: 20, removed: true, text: "Keep this" },
  ];
  const lines = "src/a.py:12 — Say since when\nsrc/a.py:20 (removed) — Keep this";

  expect(withComments(review, { choice: null, text: "" }, comments)).toEqual({ choice: 2, text: lines });
  expect(withComments(review, { choice: 2, text: "Nearly" }, comments).text).toBe(`Nearly\n\n${lines}`);
  expect(withComments(review, { choice: 1, text: "" }, comments)).toEqual({ choice: 1, text: "" });
});
