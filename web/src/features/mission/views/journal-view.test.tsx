import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { Decision } from "./journal-view";

afterEach(cleanup);

test("a decision shows its options in words, and marks the chosen one", () => {
  render(<Decision detail={{ question: "Check the copy", options_considered: ["Accept", "Send back"], chosen: "accept", reasoning: "r" }} />);

  expect(screen.getAllByRole("listitem").map((option) => option.textContent)).toEqual(["Accept (chosen)", "Send back"]);
});

test("what is not text is not shown as an option", () => {
  render(<Decision detail={{ question: "q", options_considered: [{ label: "Accept" }, "Wait"], chosen: "Wait", reasoning: "r" }} />);

  expect(document.body.textContent).not.toContain("[object");
  expect(screen.getAllByRole("listitem").map((option) => option.textContent)).toEqual(["Wait (chosen)"]);
});
