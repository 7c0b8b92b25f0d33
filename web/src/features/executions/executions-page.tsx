// Every launched agent as a terminal; the chosen one in large.
import { useMemo, useRef } from "react";
import { Link, useNavigate, useParams, useSearchParams } from "react-router";

import { useTool } from "@/api/queries";
import type { ExecutionRecord } from "@/api/types";
import { useKeys } from "@/features/shell/keys";
import { Segmented } from "@/ui/parts";
import { Empty, Loaded } from "@/ui/states";
import { Detail } from "./detail";
import { isLive } from "./look";
import { Tile } from "./tile";
import "./executions.css";

const FILTERS = {
  live: (each: ExecutionRecord) => isLive(each),
  waiting: (each: ExecutionRecord) => each.status === "waiting",
  ended: (each: ExecutionRecord) => !isLive(each),
};
type Filter = keyof typeof FILTERS;

export function ExecutionsPage() {
  const { id } = useParams();
  const [address, setAddress] = useSearchParams();
  const list = useTool("execution_list", { limit: 200 });
  const all = useSteady(list.data?.executions);
  const many = (filter: Filter) => all.filter(FILTERS[filter]).length;
  const own = all.find((each) => each.id === id);
  const wanted = address.get("show") as Filter | null;
  const show: Filter = wanted ?? (own !== undefined && !isLive(own) ? "ended" : many("live") > 0 || all.length === 0 ? "live" : "ended");
  const rows = all.filter(FILTERS[show]);
  const search = wanted !== null ? `?show=${wanted}` : "";
  useMoves(rows, id, search);
  return (
    <div className="page executions">
      <title>Executions · Mission Control</title>
      <div className="page-head">
        <h1>Executions</h1>
        <span className="quiet">
          {many("live")} live · {many("ended")} ended
        </span>
        <div className="actions">
          <Segmented
            label="Which executions"
            value={show}
            choose={(value) => setAddress({ show: value }, { replace: true })}
            options={[
              ["live", `Live ${many("live")}`],
              ["waiting", `Waiting ${many("waiting")}`],
              ["ended", `Ended ${many("ended")}`],
            ]}
          />
        </div>
      </div>
      <div className="execution-columns" data-detail={id !== undefined || undefined}>
        <div className="tiles-side">
          <Loaded query={list} what="The executions could not be read">
            {() => (rows.length === 0 ? <Nothing none={all.length === 0} /> : <Tiles rows={rows} id={id} search={search} />)}
          </Loaded>
        </div>
        {id !== undefined && (
          <div className="detail-side">
            <Link className="button back" to={`/executions${search}`}>
              All executions
            </Link>
            <Detail key={id} id={id} />
          </div>
        )}
      </div>
    </div>
  );
}

function Tiles({ rows, id, search }: { rows: ExecutionRecord[]; id: string | undefined; search: string }) {
  return (
    <ul className="tiles">
      {rows.map((each) => (
        <Tile key={each.id} execution={each} chosen={each.id === id} search={search} />
      ))}
    </ul>
  );
}

function Nothing({ none }: { none: boolean }) {
  return (
    <section className="card">
      {none ? (
        <Empty title="Nothing was launched yet" actions={<code>mission launch --adapter claude-code --task t_…</code>}>
          Mission Control starts agent clients itself, each with its task and a terminal that you can watch and type into.
        </Empty>
      ) : (
        <Empty title="None of these">Another filter shows the others.</Empty>
      )}
    </section>
  );
}

/** Those that need a person first when the page is opened, then a fixed order: a tile never moves because of an update. */
function useSteady(executions: ExecutionRecord[] | undefined): ExecutionRecord[] {
  const places = useRef(new Map<string, number>());
  return useMemo(() => {
    const known = places.current;
    const fresh = (executions ?? []).filter((each) => !known.has(each.id));
    const urgent = known.size === 0 ? (each: ExecutionRecord) => Number(each.status !== "waiting") : () => 0;
    fresh.sort((one, other) => urgent(one) - urgent(other) || one.created_at.localeCompare(other.created_at));
    for (const each of fresh) known.set(each.id, known.size);
    return [...(executions ?? [])].sort((one, other) => known.get(one.id)! - known.get(other.id)!);
  }, [executions]);
}

function useMoves(rows: ExecutionRecord[], id: string | undefined, search: string): void {
  const navigate = useNavigate();
  useKeys(
    useMemo(() => {
      const place = rows.findIndex((each) => each.id === id);
      const move = (step: number) => {
        const next = rows[Math.max(0, Math.min(place + step, rows.length - 1))];
        if (next !== undefined) void navigate(`/executions/${next.id}${search}`);
      };
      return {
        j: () => move(1),
        k: () => move(-1),
        o: (event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>(".terminal .xterm-helper-textarea")?.focus();
        },
      };
    }, [rows, id, search, navigate]),
  );
}
