import { expect, test } from "vitest";

import { splitArguments } from "./split-arguments";

test("arguments are split at spaces, and quotes keep words together", () => {
  expect(splitArguments(`./agent.sh --model "large one" 'a b'  -x`)).toEqual([
    "./agent.sh",
    "--model",
    "large one",
    "a b",
    "-x",
  ]);
  expect(splitArguments("  ")).toEqual([]);
});
