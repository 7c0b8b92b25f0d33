import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { CheckOutputView } from "./check-output";
import { plainText } from "./use-check-output";

const piece = (text: string, next: number, ended = false) => ({ text, next_offset: next, left_out: 0, ended });

test("pieces are added while a check runs, and the whole output replaces them at its end", async () => {
  const pieces = [piece("one\n", 4), piece("two\n", 8), piece("one\ntwo\nthree\n", 8, true)];
  const { called } = renderPage(<CheckOutputView id="ev_1" name="tests" running />, {
    evidence_output: () => pieces.shift() ?? piece("one\ntwo\nthree\n", 8, true),
  });
  const shown = () => screen.getByRole("region", { name: "Output of tests" }).textContent;

  await waitFor(() => expect(shown()).toBe("one\ntwo\n"), { timeout: 5_000 });
  await waitFor(() => expect(shown()).toBe("one\ntwo\nthree\n"), { timeout: 5_000 });
  expect(called("evidence_output").map(({ offset }) => offset)).toEqual([-100_000, 4, 8]);
});

test("if the output was deleted, the last lines are shown", async () => {
  renderPage(<CheckOutputView id="ev_1" name="tests" running={false} />, {
    evidence_output: piece("", 0, true),
    evidence_get: { output: "the end\n" },
  });

  expect((await screen.findByRole("region")).textContent).toBe("the end\n");
});

test("colors and overwritten progress lines are removed", () => {
  expect(plainText("\u001b[31mred\u001b[0m\r\n10 %\r20 %\rdone\n")).toBe("red\ndone\n");
});
