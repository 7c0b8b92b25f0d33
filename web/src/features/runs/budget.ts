// How much of a run's budget is spent.
import type { RunDetail } from "@/api/types";

export type Resource = "usd" | "tokens" | "minutes" | "launches";
type Budgeted = Pick<RunDetail, "spent" | "budget">;

/** From here on the page warns. */
export const WARN_AT = 0.8;

/** Return the share of a limit that is spent; null without a limit, or if the spending is unknown. */
export function shareOf({ spent, budget }: Budgeted, of: Resource): number | null {
  const used = spent[of];
  const limit = budget[of];
  return used === null || limit === null || limit <= 0 ? null : used / limit;
}

/** Return a few words about one limit. */
export function describeShare(run: Budgeted, of: Resource): string {
  const limit = run.budget[of];
  if (run.spent[of] === null)
    return limit === null
      ? "not reported by every client"
      : "not reported by every client, so the limit cannot be enforced";
  const share = shareOf(run, of);
  if (share === null) return "no limit";
  return share >= 1 ? "limit reached" : `${Math.round(share * 100)}% spent`;
}
