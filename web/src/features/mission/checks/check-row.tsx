// One check in the form: its kind, command or globs, name, whether it is required, and its time limit.
import { Icon } from "@/ui/icons";
import type { Kind, Row } from "./check-rows";

const KINDS: readonly (readonly [Kind, string])[] = [
  ["run", "Command passes"],
  ["changed", "Some file changed"],
  ["untouched", "No file changed"],
];

interface CheckRowProps {
  row: Row;
  change: (row: Row) => void;
  remove: () => void;
}

export function CheckRow({ row, change, remove }: CheckRowProps) {
  const what = row.kind === "run" ? "Command" : "Globs";
  const about = row.name || row.text || "new check";
  return (
    <li className="check-row">
      <select
        className="field"
        aria-label={`Check type: ${about}`}
        value={row.kind}
        onChange={(event) => change({ ...row, kind: event.target.value as Kind })}
      >
        {KINDS.map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
      </select>
      <textarea
        className="field mono what"
        rows={Math.min(6, row.text.split("\n").length)}
        aria-label={what}
        placeholder={row.kind === "run" ? "make test" : "src/**, docs/*.md"}
        value={row.text}
        spellCheck={false}
        onChange={(event) => change({ ...row, text: event.target.value })}
      />
      <input
        className="field name"
        aria-label={`Name of ${about}`}
        placeholder="Name (optional)"
        maxLength={100}
        value={row.name}
        onChange={(event) => change({ ...row, name: event.target.value })}
      />
      <label className="tick">
        <input
          type="checkbox"
          checked={row.required}
          onChange={(event) => change({ ...row, required: event.target.checked })}
        />{" "}
        Required
      </label>
      {row.kind === "run" ? (
        <label className="limit quiet">
          at most
          <input
            className="field"
            type="number"
            min={1}
            max={86_400}
            aria-label={`Time limit in seconds for ${about}`}
            value={row.seconds}
            onChange={(event) => change({ ...row, seconds: Number(event.target.value) })}
          />
          s
        </label>
      ) : (
        <span />
      )}
      <button type="button" className="button small" aria-label={`Remove ${about}`} onClick={remove}>
        <Icon name="close" size={12} />
      </button>
      {(row.note !== "" || Object.keys(row.rest).length > 0) && (
        <p className="meta">{[row.note, restOf(row)].filter(Boolean).join(" · ")}</p>
      )}
    </li>
  );
}

/** Return fields that the form keeps but does not show: `env, retries: 1`. */
function restOf(row: Row): string {
  return Object.entries(row.rest)
    .map(([name, value]) => (typeof value === "object" ? `${name}: ${JSON.stringify(value)}` : `${name}: ${value}`))
    .join(" · ");
}
