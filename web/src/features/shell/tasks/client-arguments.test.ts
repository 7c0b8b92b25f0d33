import { expect, test } from "vitest";

import { modelArguments, splitArguments } from "./client-arguments";

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

test("a model is passed to clients, not to any program", () => {
  expect(modelArguments("codex", " gpt-5 ")).toEqual(["--model", "gpt-5"]);
  expect(modelArguments("codex", " ")).toEqual([]);
  expect(modelArguments("command", "gpt-5")).toEqual([]);
});
