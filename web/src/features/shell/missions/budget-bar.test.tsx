import { render, screen } from "@testing-library/react";
import { MemoryRouter } from "react-router";
import { expect, test } from "vitest";

import { BudgetBar } from "./budget-bar";

const BUDGET = { run_id: "run_1", name: "Ledger", limit_usd: 20, usd: 5, unknown: 0 };

function shown(budget: Partial<typeof BUDGET> | { usd: number | null; unknown?: number }) {
  render(
    <MemoryRouter>
      <BudgetBar budget={{ ...BUDGET, ...budget }} />
    </MemoryRouter>,
  );
}

test("a budget shows what is spent of it", () => {
  shown({});
  expect(screen.getByText("$5.00 of $20.00")).toBeTruthy();
  expect(screen.getByRole("img").getAttribute("aria-label")).toBe("25 % of the budget");
});

test("an unknown price is unknown and draws no bar", () => {
  shown({ usd: null, unknown: 2 });
  expect(screen.getByText("unknown of $20.00")).toBeTruthy();
  expect(screen.getByRole("img").children.length).toBe(0);
});

test("a partly known price is a lower bound", () => {
  shown({ usd: 5, unknown: 1 });
  expect(screen.getByText("at least $5.00 of $20.00")).toBeTruthy();
});
