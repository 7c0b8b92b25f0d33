// A few words about the checks of a task.
import type { CheckGlance, MissionTask } from "@/api/types";
import { exactSpan, plural } from "@/ui/format";

/** A check in a list; its origin is null where it is not known. */
export type ListedCheck = Omit<CheckGlance, "origin"> & { origin: CheckGlance["origin"] | null };

/** Return `3 of 4 checks passed`, `1 of 4 checks failed`, or an empty string if none ran. */
export function describeChecks({ checks }: Pick<MissionTask, "checks">): string {
  if (checks === null) return "";
  if (checks.failed > 0) return `${checks.failed} of ${plural(checks.total, "check")} failed`;
  return `${checks.passed} of ${plural(checks.total, "check")} passed`;
}

/** Return what a check counted and how long it took: `41 of 42 tests, 1 failed · 12.4 s`. */
export function describeOutcome(check: ListedCheck): string {
  const timed = check.kind === "run" && check.seconds !== null ? duration(check.seconds) : "";
  const parts = [describeTests(check.tests), describeEnd(check), timed];
  return parts.filter(Boolean).join(" · ");
}

/** Return short labels that qualify an outcome. */
export function labelsOf(check: ListedCheck): string[] {
  const labels: string[] = [];
  if (!check.required) labels.push("optional");
  if (check.approval === "pending") labels.push("waiting for approval");
  if (check.failed_before) labels.push("also failed before");
  if (check.green_before) labels.push("passed before the change");
  if (check.flaky) labels.push("flaky: passed after a retry");
  if (check.reused) labels.push("reused: same tree");
  return labels;
}

function describeTests(tests: Record<string, number> | null): string {
  if (tests === null) return "";
  const { run = 0, failed = 0, skipped = 0 } = tests;
  return [plural(run, "test"), failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
    .filter(Boolean)
    .join(", ");
}

function describeEnd(check: ListedCheck): string {
  if (check.timed_out) return "timed out";
  if (check.idle) return "stopped: no progress";
  return check.exit_code !== null && check.exit_code !== 0 ? `exit ${check.exit_code}` : "";
}

/** Return `0.3 s`, `12.4 s` or `3 min 4 s`. */
export function duration(seconds: number): string {
  if (seconds < 0.05) return "under 0.1 s";
  return seconds < 60 ? `${seconds.toFixed(1)} s` : exactSpan(seconds);
}
