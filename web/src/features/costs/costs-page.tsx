// What work cost: by day, mission, run, agent and task, and against the budgets.
import { useState } from "react";
import { Link } from "react-router";

import type { CostOf, Costs } from "@/api/types";
import { BudgetBar } from "@/features/shell/missions/budget-bar";
import { useCosts } from "@/features/shell/missions/use-costs";
import { Card, Segmented } from "@/ui/basics";
import { amount, describeCost, plural } from "@/ui/format";
import { useUrlFilters } from "@/ui/hooks/use-url-filters";
import { Empty, Loaded } from "@/ui/query-states";
import "./costs.css";

const SHOWN = 14;
const DAYS = ["1", "7", "14", "30", "90"] as const;

export function CostsPage() {
  const [address, change] = useUrlFilters();
  const days = DAYS.find((each) => each === address.get("days")) ?? "14";
  const costs = useCosts(Number(days));
  return (
    <div className="page costs">
      <title>Costs · Mission Control</title>
      <div className="page-head">
        <h1>Costs</h1>
        <span className="quiet">as clients report them</span>
        <div className="actions">
          <Segmented
            label="Days"
            value={days}
            choose={(value) => change("days", value === "14" ? null : value)}
            options={DAYS.map((each) => [each, each === "1" ? "Today" : `${each} days`] as const)}
          />
        </div>
      </div>
      <Loaded query={costs} what="costs" rows={8}>
        {(data) => (data.total.usd === null && data.total.unknown === 0 ? <NoCosts /> : <Report costs={data} />)}
      </Loaded>
    </div>
  );
}

function NoCosts() {
  return (
    <section className="card">
      <Empty title="Nothing was spent">
        Clients that report money or tokens appear here once an agent has worked. Clients that report neither are shown
        as unknown.
      </Empty>
    </section>
  );
}

function Report({ costs }: { costs: Costs }) {
  return (
    <>
      <p className="cost-total">
        <strong>{describeCost(costs.total)}</strong>
        <span className="quiet">
          {costs.total.tokens !== null && ` ${amount(costs.total.tokens)} tokens`}
          {costs.total.unknown > 0 && ` · the price of ${plural(costs.total.unknown, "piece")} of work is unknown`}
        </span>
      </p>
      {costs.budgets.length > 0 && (
        <Card title="Budgets" count={costs.budgets.length}>
          {costs.budgets.map((budget) => (
            <BudgetBar key={budget.run_id ?? "day"} budget={budget} />
          ))}
        </Card>
      )}
      <div className="cost-tables">
        <CostTable title="By day" rows={costs.days} />
        <CostTable title="By mission" rows={costs.missions} to={(row) => `/missions/${row.id}`} />
        <CostTable title="By run" rows={costs.runs} to={(row) => `/runs/${row.id}`} />
        <CostTable title="By agent" rows={costs.agents} to={(row) => `/agents?agent=${row.id}`} />
        <CostTable title="By task" rows={costs.tasks} to={(row) => `/tasks/${row.id}`} />
      </div>
    </>
  );
}

function CostTable({ title, rows, to }: { title: string; rows: CostOf[]; to?: (row: CostOf) => string }) {
  const [open, setOpen] = useState(false);
  if (rows.length === 0) return null;
  const shown = open ? rows : rows.slice(0, SHOWN);
  const highest = Math.max(...rows.map((row) => row.usd ?? 0));
  return (
    <Card title={title} className="cost-table">
      <table>
        <thead>
          <tr>
            <th>{title.replace("By ", "").replace(/^./, (letter) => letter.toUpperCase())}</th>
            <th className="num">Cost</th>
            <th className="num">Tokens</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.id}>
              <td className="cut" title={row.name}>
                {to === undefined ? row.name : <Link to={to(row)}>{row.name}</Link>}
                {highest > 0 && (
                  <span
                    className="share"
                    style={{ width: `${((row.usd ?? 0) / highest) * 100}%` }}
                    aria-hidden="true"
                  />
                )}
              </td>
              <td className="num">
                {row.usd === null && row.unknown === 0 ? "–" : describeCost(row, { short: true })}
              </td>
              <td className="num quiet">{row.tokens === null ? "" : amount(row.tokens)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length < rows.length && (
        <button type="button" className="fold" onClick={() => setOpen(true)}>
          {rows.length - shown.length} more
        </button>
      )}
    </Card>
  );
}
