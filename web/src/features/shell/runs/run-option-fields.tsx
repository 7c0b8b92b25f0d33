// Fields of the options of a run, for its start and for later changes.
import type { StartRun } from "@/api/types";

const REVIEWS = [
  ["risk", "A person, only if something looks risky"],
  ["person", "A person, every result"],
  ["none", "Nobody"],
] as const;
const LIMITS = [
  ["usd", "US dollars"],
  ["tokens", "Tokens"],
  ["minutes", "Minutes"],
  ["launches", "Launches"],
] as const;
type Limit = (typeof LIMITS)[number][0];
export type Review = (typeof REVIEWS)[number][0];
export type LimitTexts = Partial<Record<Limit, string>>;

interface ReviewFieldProps {
  review: Review;
  change: (review: Review) => void;
}

export function ReviewField({ review, change }: ReviewFieldProps) {
  return (
    <label>
      Who reviews results
      <select className="field" value={review} onChange={(event) => change(event.target.value as Review)}>
        {REVIEWS.map(([rule, words]) => (
          <option key={rule} value={rule}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface BudgetFieldsProps {
  limits: LimitTexts;
  change: (limits: LimitTexts) => void;
  hint: string;
}

export function BudgetFields({ limits, change, hint }: BudgetFieldsProps) {
  return (
    <fieldset className="budget">
      <legend>
        Budget <span className="meta">{hint}</span>
      </legend>
      {LIMITS.map(([limit, words]) => (
        <label key={limit}>
          {words}
          <input
            className="field"
            type="number"
            min={0}
            step="any"
            inputMode="decimal"
            value={limits[limit] ?? ""}
            onChange={(event) => change({ ...limits, [limit]: event.target.value })}
          />
        </label>
      ))}
    </fieldset>
  );
}

/** Return the limits that are given, as numbers. */
export function budgetOf(limits: LimitTexts): Pick<StartRun, "budget"> {
  const given = LIMITS.flatMap(([limit]) => {
    const text = limits[limit]?.trim() ?? "";
    return text === "" ? [] : [[limit, Number(text)] as const];
  });
  return given.length === 0 ? {} : { budget: Object.fromEntries(given) };
}

/** Return the limits of a run as texts. */
export function limitTexts(budget: Partial<Record<Limit, number | null>>): LimitTexts {
  return Object.fromEntries(
    LIMITS.flatMap(([limit]) => (typeof budget[limit] === "number" ? [[limit, String(budget[limit])]] : [])),
  );
}
