import { expect, test } from "vitest";

import { type Entry, fitting, matchOf, merged } from "./entry";

const entry = (name: string, detail?: string): Entry => ({ id: name, name, detail, kind: "page", icon: "now" });

test("a name matches as a whole, by its beginning, or by the beginnings of its words, without case and accents", () => {
  expect(matchOf("Audit", "audit")).toBe(0);
  expect(matchOf("Café ledger", "cafe l")).toBe(1);
  expect(matchOf("Double-entry ledger", "led dou")).toBe(2);
  expect(matchOf("Double-entry ledger", "edger")).toBeNull();
});

test("what fits best comes first, and an action is also found by what it is about", () => {
  const entries = [entry("New mission"), entry("Missions"), entry("Pause mission", "Ledger")];

  expect(fitting(entries, "miss").map(({ name }) => name)).toEqual(["Missions", "New mission", "Pause mission"]);
  expect(fitting(entries, "pause led").map(({ name }) => name)).toEqual(["Pause mission"]);
});

test("what the server found stands between the page's own close and distant matches", () => {
  const own = [entry("Missions"), entry("New mission")];

  expect(merged(own, [entry("Miss Marple")], "miss").map(({ name }) => name)).toEqual([
    "Missions",
    "Miss Marple",
    "New mission",
  ]);
});
