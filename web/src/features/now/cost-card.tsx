// What today cost, the most expensive missions, and the budgets in force.
import { Link } from "react-router";

import type { Costs } from "@/api/types";
import { BudgetBar } from "@/features/shell/missions/budget-bar";
import { Card } from "@/ui/basics";
import { describeCost } from "@/ui/format";

const SHOWN = 4;

export function CostCard({ costs }: { costs: Costs | undefined }) {
  if (costs === undefined || (costs.total.usd === null && costs.total.unknown === 0)) return null;
  return (
    <Card title="Cost" aside={<Link to="/costs">Details</Link>} className="cost-card">
      <dl className="cost-rows">
        <div>
          <dt>Today</dt>
          <dd>{describeCost(costs.today, { short: true })}</dd>
        </div>
        <div>
          <dt>Last {costs.days.length} days</dt>
          <dd>{describeCost(costs.total, { short: true })}</dd>
        </div>
        {costs.missions.slice(0, SHOWN).map((mission) => (
          <div key={mission.id}>
            <dt className="cut">
              <Link to={`/missions/${mission.id}`} title={mission.name}>
                {mission.name}
              </Link>
            </dt>
            <dd>{describeCost(mission, { short: true })}</dd>
          </div>
        ))}
      </dl>
      {costs.budgets.slice(0, SHOWN).map((budget) => (
        <BudgetBar key={budget.run_id ?? "day"} budget={budget} />
      ))}
      {costs.budgets.length === 0 && <p className="meta no-budget">No budget is set.</p>}
    </Card>
  );
}
