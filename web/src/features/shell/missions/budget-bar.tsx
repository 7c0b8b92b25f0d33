// A budget of money and what is spent of it.
import { Link } from "react-router";

import type { BudgetUse } from "@/api/types";
import { describeCost, money } from "@/ui/format";

const WARN_AT = 0.8;

export function BudgetBar({ budget }: { budget: BudgetUse }) {
  const share = budget.usd === null ? null : budget.usd / budget.limit_usd;
  const words = `${describeCost(budget)} of ${money(budget.limit_usd)}`;
  return (
    <div className="budget-use">
      <span className="cut">
        {budget.run_id === null ? budget.name : <Link to={`/runs/${budget.run_id}`}>{budget.name}</Link>}
      </span>
      <span className="num">{words}</span>
      <span
        className="budget-track"
        role="img"
        aria-label={
          share === null ? `${words}: what is spent is unknown` : `${Math.round(share * 100)} % of the budget`
        }
      >
        {share !== null && (
          <span
            className={share >= 1 ? "tone-danger" : share >= WARN_AT ? "tone-attention" : "tone-progress"}
            style={{ width: `${Math.min(1, share) * 100}%` }}
          />
        )}
      </span>
    </div>
  );
}
