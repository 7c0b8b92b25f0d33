import { screen } from "@testing-library/react";
import { createRef } from "react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { item } from "@/testing/samples";
import { BLANK } from "./answer-draft";
import { ItemCard } from "./item-card";

const COMMAND = {
  name: "test",
  run: "make  test # all",
  env: { FAST: "1 2" },
  seconds: 90,
  required: true,
  approval: "pending",
  definition: {},
  tasks: ["Sort", "Wash"],
};
const CHOICES = [
  { kind: "fixed", label: "Approve", value: "approve" },
  { kind: "fixed", label: "Refuse", value: "refuse" },
];

function show(chosen: boolean) {
  const shown = item({
    kind: "checks",
    subject: "Allow 1 command as a check for 'Sort'?",
    body: "make",
    choices: CHOICES,
  });
  const field = createRef<HTMLTextAreaElement>();
  const rest = { draft: BLANK, outgoing: undefined, change: () => undefined, choose: () => undefined, field };
  renderPage(<ItemCard item={shown} chosen={chosen} {...rest} />, {
    overview_proposed_checks: { commands: [COMMAND] },
  });
}

test("the exact command is shown with its variables, its limit and its tasks", async () => {
  show(true);

  const command = await screen.findByRole("region", { name: "Command for test" });
  expect(command.textContent).toBe('FAST="1 2"\nmake  test # all');
  expect(screen.getByText(/at most 2 min · for Sort, Wash/)).toBeTruthy();
  expect(screen.getAllByRole("radio").map((each) => each.parentElement?.textContent)).toEqual(["1Approve", "2Refuse"]);
});

test("commands cannot be approved before they are shown", () => {
  show(false);

  expect(screen.getAllByRole("button").map((button) => button.textContent)).toEqual(["Show commands…"]);
});
