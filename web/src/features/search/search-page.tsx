// What was found for the words in the address: missions, tasks, journal and messages.
import { useState, type FormEvent } from "react";
import { Link, useSearchParams } from "react-router";

import { useTool } from "@/api/use-tool";
import type { SearchResult } from "@/api/types";
import { Card, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { look, MISSION, STORED, type Status } from "@/ui/status/status";
import "./search.css";

const STATES: Record<string, Record<string, Status>> = { task: STORED, mission: MISSION, workflow: MISSION };

export function SearchPage() {
  const [address, setAddress] = useSearchParams();
  const words = address.get("q")?.trim() ?? "";
  const found = useTool("search", { query: words, limit: 50 }, { enabled: words !== "", keep: true });
  return (
    <div className="page">
      <title>Search · Mission Control</title>
      <div className="page-head">
        <h1>Search</h1>
        <Words key={words} words={words} search={(text) => setAddress({ q: text })} />
      </div>
      <Card title="Found" count={words === "" ? 0 : (found.data?.total ?? 0)} className="search-results">
        {words === "" ? (
          <Empty title="What are you looking for?">Words of missions, tasks, decisions, checkpoints and messages are found, also by their beginnings.</Empty>
        ) : (
          <Loaded query={found} what="Nothing could be searched">
            {(data) =>
              data.results.length === 0 ? (
                <Empty title="Nothing has these words">All of them must occur, in any order. Try fewer, or only their beginnings.</Empty>
              ) : (
                <ul className="lined">
                  {data.results.map((result) => (
                    <Result key={`${result.kind}${result.id}`} result={result} />
                  ))}
                </ul>
              )
            }
          </Loaded>
        )}
      </Card>
    </div>
  );
}

function Words({ words, search }: { words: string; search: (text: string) => void }) {
  const [text, setText] = useState(words);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "") search(text.trim());
  };
  return (
    <form className="actions" onSubmit={send}>
      <input className="field" type="search" aria-label="Words to look for" value={text} onChange={(event) => setText(event.target.value)} />
      <button className="button">Search</button>
    </form>
  );
}

function Result({ result }: { result: SearchResult }) {
  const { title, snippet } = result;
  const more = snippet.startsWith(title) ? snippet.slice(title.length).trim() : snippet;
  return (
    <li>
      <span className="meta kind">{kindOf(result)}</span>
      <div>
        <Link to={addressOf(result)}>{result.title}</Link>
        {more !== "" && <div className="quiet">{more}</div>}
      </div>
      <span className="meta">
        <Time at={result.at} />
      </span>
    </li>
  );
}

/** What was found, in the word that its state has everywhere else. */
function kindOf({ kind, type }: SearchResult): string {
  const table = STATES[kind];
  if (type === null) return kind;
  return table === undefined ? type : look(table, type).word;
}

function addressOf(result: SearchResult): string {
  if (result.task_id !== null) return `/tasks/${result.task_id}`;
  if (result.kind === "task") return `/tasks/${result.id}`;
  return result.workflow_id !== null ? `/missions/${result.workflow_id}` : "/inbox";
}
