// How many lines were added and removed: `+31 −14`.
import { count } from "@/ui/format";

interface LineCountsProps {
  of: { lines_added?: number | null; lines_removed?: number | null };
}

/** Show the counts that are not zero; nothing while they are unknown. */
export function LineCounts({ of: { lines_added: added, lines_removed: removed } }: LineCountsProps) {
  if (added == null || removed == null || added + removed === 0) return null;
  return (
    <span className="line-counts">
      {added > 0 && <span className="plus">+{count(added)}</span>}{" "}
      {removed > 0 && <span className="minus">−{count(removed)}</span>}
    </span>
  );
}
