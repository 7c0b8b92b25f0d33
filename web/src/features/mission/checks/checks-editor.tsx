// The checks of a mission or a repository as a list that can be edited.
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";

import type { CheckRecord, ChecksOfScope, SetChecks } from "@/api/types";
import { useAction, useTool } from "@/api/use-tool";
import { useOnline } from "@/live/live-connection";
import { Card } from "@/ui/basics";
import { CancelButton, ErrorMessage } from "@/ui/form";
import { Icon } from "@/ui/icons";
import { Loaded } from "@/ui/query-states";
import { CheckRow } from "./check-row";
import { definitionsOf, newRow, rowsOf } from "./check-rows";
import { SuggestedChecks } from "./suggested-checks";

export type ScopeOf = { scope: "mission"; id: string } | { scope: "repository"; repository_path: string };

/** The list that is edited: the checks of each task, or the final checks of a mission. */
type List = "checks" | "final_checks";

interface EditorProps {
  of: ScopeOf;
  list?: List;
  title: string;
  note: string;
  /** Where to look for suggestions; null if there is no repository. */
  repositoryPath: string | null;
}

export function ChecksEditor({ of, list = "checks", title, note, repositoryPath }: EditorProps) {
  const found = useTool("checks_list", of);
  return (
    <Card title={title} {...(found.data !== undefined ? { count: found.data[list].length } : {})} className="checks">
      <p className="side-words">{note}</p>
      <Loaded query={found} what="the checks">
        {(data) => (
          <EditedChecks key={stateOf(data, list)} of={of} list={list} data={data} repositoryPath={repositoryPath} />
        )}
      </Loaded>
    </Card>
  );
}

/** Return a key that changes with the stored checks, so that the form starts again from them. */
function stateOf(data: ChecksOfScope, list: List): string {
  const checks = data[list].map((check) => [check.definition, check.approval]);
  return JSON.stringify(list === "checks" ? [data.uses_repository, checks] : checks);
}

interface EditedProps {
  of: ScopeOf;
  list: List;
  data: ChecksOfScope;
  repositoryPath: string | null;
}

function EditedChecks({ of, list, data, repositoryPath }: EditedProps) {
  const online = useOnline();
  const [stored] = useState(() => rowsOf(data[list], of.scope));
  const [rows, setRows] = useState(stored);
  const [inherits, setInherits] = useState(data.uses_repository);
  const mayInherit = list === "checks" && of.scope === "mission" && repositoryPath !== null;
  const { save, isPending, error } = useSave(of, list, data[list]);
  const changed = rows !== stored || inherits !== data.uses_repository;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(definitionsOf(rows), list === "checks" && of.scope === "mission" && inherits);
  };
  return (
    <form className="checks-form" onSubmit={submit}>
      <Inherited checks={data[list].filter((check) => check.origin !== of.scope)} />
      {rows.length === 0 && <p className="side-words">No checks are defined here yet.</p>}
      <ul className="lined">
        {rows.map((row) => (
          <CheckRow
            key={row.key}
            row={row}
            change={(next) => setRows(rows.map((each) => (each.key === next.key ? next : each)))}
            remove={() => setRows(rows.filter((each) => each.key !== row.key))}
          />
        ))}
      </ul>
      {mayInherit && (
        <label className="tick inherits">
          <input type="checkbox" checked={inherits} onChange={(event) => setInherits(event.target.checked)} /> Also use
          the repository's checks
        </label>
      )}
      <ErrorMessage error={error} what="Could not save" />
      <div className="actions">
        <button type="button" className="button" onClick={() => setRows([...rows, newRow()])}>
          <Icon name="plus" /> Add check
        </button>
        {changed && (
          <>
            <button type="submit" className="button primary" disabled={!online || isPending}>
              Save checks
            </button>
            <CancelButton
              cancel={() => {
                setRows(stored);
                setInherits(data.uses_repository);
              }}
            />
          </>
        )}
      </div>
      {repositoryPath !== null && (
        <SuggestedChecks
          repositoryPath={repositoryPath}
          known={rows.map((row) => row.text)}
          add={(row) => setRows([...rows, row])}
        />
      )}
    </form>
  );
}

/** Return an action that stores the checks. The PATH that they were defined with is kept. */
function useSave(of: ScopeOf, list: List, stored: readonly CheckRecord[]) {
  const set = useAction("checks_set");
  const client = useQueryClient();
  const path = stored.find((check) => check.origin === of.scope && check.path !== null)?.path ?? null;
  const save = async (checks: Record<string, unknown>[], inherits: boolean) => {
    const args = { ...of, [list]: checks, ...(path !== null ? { path } : {}) } as SetChecks;
    try {
      let done = await set.mutateAsync(args);
      if (inherits) done = await set.mutateAsync({ ...of, checks: "repository" });
      client.setQueryData(["checks_list", of], done);
      await client.invalidateQueries({ queryKey: ["checks_list"] });
    } catch {
      // the form shows the error
    }
  };
  return { save, isPending: set.isPending, error: set.error };
}

const ORIGINS: Record<string, string> = { repository: "Repository", mission: "Mission", task: "Task" };

/** Show checks that come from elsewhere. */
function Inherited({ checks }: { checks: readonly CheckRecord[] }) {
  if (checks.length === 0) return null;
  return (
    <ul className="lined">
      {checks.map((check) => (
        <li key={check.name} className="row inherited">
          <span className="origin meta">{ORIGINS[check.origin]}</span>
          <span>
            <strong>{check.name}</strong> <code>{asked(check)}</code>
          </span>
          <span className="meta">{check.required ? "required" : "optional"}</span>
        </li>
      ))}
    </ul>
  );
}

function asked({ definition, kind }: CheckRecord): string {
  const value = definition[kind];
  return kind === "run" ? String(value) : `${kind} ${Array.isArray(value) ? value.join(", ") : String(value)}`;
}
