import { expect, test } from "vitest";

import { roomFor, shortNames } from "./short-names";

const ROOM = roomFor(160);
const named = (...names: string[]) => names.map((name, at) => ({ id: String(at), name, phase: 1 }));
const shown = (...names: string[]) => [...shortNames(named(...names), ROOM).values()];

test("names that fit stay whole, even if they begin alike", () => {
  const names = ["Map the writers of invoices", "Map the writers of refunds", "Map the writers of payouts"];

  expect(shown(...names)).toEqual(names);
});

test("the middle of a beginning that names of a phase share is folded, and what differs stays", () => {
  const start = "Backfill the history of every customer account with";

  expect(shown(`${start} old invoices`, `${start} old refunds`, `${start} paid taxes`)).toEqual([
    "Backfill the history of …with old invoices",
    "Backfill the history of …with old refunds",
    "Backfill the history of …with paid taxes",
  ]);
});

test("a long name keeps its end, and a word that is too long by itself is cut between whole characters", () => {
  const [long, word] = shown("Write down what the committee decided about tariffs last week", `${"🙂".repeat(60)}end`);

  expect(long).toBe("Write down what the …tariffs last week");
  expect([word!.endsWith("end"), word!.includes("\ufffd"), [...word!].length <= ROOM]).toEqual([true, false, true]);
});
