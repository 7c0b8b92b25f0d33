import { expect, test } from "vitest";

import type { ItemRow } from "@/api/types";
import { quickActionsFor } from "./quick-actions";

const item = (more: Partial<ItemRow>) =>
  ({ id: "q_1", kind: "question", choices: [], task_id: "t_1", ...more }) as ItemRow;
const labels = (more: Partial<ItemRow>) => quickActionsFor(item(more)).map((act) => [act.label, act.number]);

test("the actions fit the item, the agent's own choices first", () => {
  const choices = [{ label: "Post new" }, { label: "Else", kind: "manual" }, { label: "Reverse" }, { label: "Ask" }];

  expect(labels({ choices })).toEqual([
    ["Post new", 1],
    ["Reverse", 3],
  ]);
  expect(
    labels({
      kind: "failure",
      choices: [
        { label: "Retry" },
        { label: "Hint", kind: "manual" },
        { label: "Give", kind: "manual" },
        { label: "Skip" },
      ],
    }),
  ).toEqual([
    ["Retry", 1],
    ["Skip", 4],
  ]);
  expect(labels({ kind: "blocker" })).toEqual([["Resolve", null]]);
  expect(labels({ kind: "escalation" })).toEqual([
    ["Retry", null],
    ["Skip", null],
  ]);
  expect(labels({ kind: "escalation", task_id: null })).toEqual([]);
  expect(labels({ kind: "mail" })).toEqual([]);
});

test("a diff or a command is not approved unseen", () => {
  expect(labels({ kind: "review", choices: [{ label: "Approve", value: "accept" }] })).toEqual([]);
  expect(labels({ kind: "checks", choices: [{ label: "Approve" }, { label: "Refuse" }] })).toEqual([]);
});
