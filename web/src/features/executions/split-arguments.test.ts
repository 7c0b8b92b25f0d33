import { expect, test } from "vitest";

import { splitArguments } from "./split-arguments";

test("arguments are apart by spaces and together in quotes", () => {
  expect(splitArguments(`./agent.sh --model "large one" 'a b'  -x`)).toEqual(["./agent.sh", "--model", "large one", "a b", "-x"]);
  expect(splitArguments("  ")).toEqual([]);
});
