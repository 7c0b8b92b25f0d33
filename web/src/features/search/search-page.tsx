// Searches missions, tasks, the journal and messages for the words in the address.
import { type FormEvent, useState } from "react";
import { Link, useSearchParams } from "react-router";

import type { SearchResult } from "@/api/types";
import { useTool } from "@/api/use-tool";
import { Card, Time } from "@/ui/basics";
import { Empty, Loaded } from "@/ui/query-states";
import { MISSION, STORED, type Status, statusFor } from "@/ui/status/status";
import "./search.css";

const STATES: Record<string, Record<string, Status>> = { task: STORED, mission: MISSION, workflow: MISSION };

export function SearchPage() {
  const [address, setAddress] = useSearchParams();
  const words = address.get("q")?.trim() ?? "";
  const options = { enabled: words !== "", keep: true };
  const found = useTool("search", { query: words, limit: 50 }, options);
  const named = useTool("search", { query: words, kind: ["mission", "task"], limit: 50 }, options);
  return (
    <div className="page">
      <title>Search · Mission Control</title>
      <div className="page-head">
        <h1>Search</h1>
        <SearchForm words={words} search={(text) => setAddress(text === "" ? {} : { q: text }, { replace: true })} />
      </div>
      <Card title="Results" count={words === "" ? 0 : (found.data?.total ?? 0)} className="search-results">
        {words === "" ? (
          <Empty title="What are you looking for?">
            Searches missions, tasks, decisions, checkpoints and messages. The beginning of a word is enough.
          </Empty>
        ) : (
          <Loaded query={found} what="search results">
            {(data) =>
              data.results.length === 0 ? (
                <Empty title="No results">
                  All words must match, in any order. Try fewer words, or only their beginnings.
                </Empty>
              ) : (
                <ul className="lined">
                  {namesFirst(words, named.data?.results ?? [], data.results).map((result) => (
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

/** Put missions and tasks first whose names contain every word; each result comes once. */
export function namesFirst(
  words: string,
  named: readonly SearchResult[],
  all: readonly SearchResult[],
): SearchResult[] {
  const parts = words.toLowerCase().split(/\s+/);
  const has = (result: SearchResult) => parts.every((part) => result.title.toLowerCase().includes(part));
  const first = named.filter(has).toSorted((one, other) => Number(isTask(one)) - Number(isTask(other)));
  const known = new Set(first.map((result) => result.id));
  return [...first, ...all.filter((result) => !known.has(result.id))];
}

const isTask = (result: SearchResult) => result.kind === "task";

function SearchForm({ words, search }: { words: string; search: (text: string) => void }) {
  const [text, setText] = useState(words);
  const [told, tell] = useState(words);
  if (words !== told) {
    tell(words); // another search, such as from the sidebar
    setText(words);
  }
  const change = (value: string) => {
    setText(value);
    tell(value.trim());
    search(value.trim());
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    search(text.trim());
  };
  return (
    <form className="actions" onSubmit={send}>
      <input
        className="field"
        type="search"
        aria-label="Search for"
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      <button type="submit" className="button">
        Search
      </button>
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

/** Return the kind of a result and its state, in the same words as on other pages. */
function kindOf({ kind, type }: SearchResult): string {
  const table = STATES[kind];
  if (type === null) return kind;
  return table === undefined ? type : statusFor(table, type).word;
}

function addressOf(result: SearchResult): string {
  if (result.task_id !== null) return `/tasks/${result.task_id}`;
  if (result.kind === "task") return `/tasks/${result.id}`;
  return result.workflow_id !== null ? `/missions/${result.workflow_id}` : "/inbox";
}
