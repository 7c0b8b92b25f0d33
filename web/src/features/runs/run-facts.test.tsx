import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { renderPage } from "@/testing/render-page";
import { run } from "@/testing/samples";
import { RunFacts } from "./run-facts";

test("final checks show what each said, also while others run", () => {
  const checks = [
    { name: "make lint", state: "passed" },
    { name: "make e2e", state: "running" },
  ];
  renderPage(<RunFacts run={run({ final: { commit: "a".repeat(40), round_id: "cr_1", state: "open", checks } })} />);

  expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual([
    "make lint passed",
    "make e2e running",
  ]);
});

test("commits by others and waived checks are listed", () => {
  const foreign = [{ commit: "b".repeat(40), subject: "Fix a typo", author: "Ada" }];
  renderPage(<RunFacts run={run({ foreign_commits: foreign, waivers: [{ check: "lint", reason: "later" }] })} />);

  expect(screen.getByText("bbbbbbbbbb · Fix a typo · Ada")).toBeTruthy();
  expect(screen.getByText("lint: later")).toBeTruthy();
});
