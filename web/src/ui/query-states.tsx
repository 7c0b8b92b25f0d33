// What stands where there is nothing yet, nothing at all, or something went wrong.
import { useEffect, useState, type ReactNode } from "react";

import { ApiError, reasonOf } from "@/api/call-tool";
import { StatusIcon } from "./status/status-icon";

const PATIENCE = 150;

/** Grey lines of about the size of what comes; not shown when it comes at once. */
export function Skeleton({ rows = 3 }: { rows?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), PATIENCE);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="skeleton" aria-busy="true" aria-label="Loading" role="status">
      {shown &&
        Array.from({ length: rows }, (_, row) => (
          <div key={row} className="skeleton-row">
            <span />
            <span />
          </div>
        ))}
    </div>
  );
}

export function Empty({ title, children, actions }: { title: string; children: ReactNode; actions?: ReactNode }) {
  return (
    <div className="empty">
      <p className="title">{title}</p>
      <p>{children}</p>
      {actions !== undefined && <div className="actions">{actions}</div>}
    </div>
  );
}

const FAILED = { shape: "octagon", tone: "danger", word: "Failed" } as const;

/** What could not be read, what is safe, what to do, and the code. */
export function Failure({ what, error, retry }: { what: string; error: Error; retry?: () => void }) {
  const known = error instanceof ApiError ? error : null;
  return (
    <div className="failure" role="alert">
      <StatusIcon status={FAILED} decorative />
      <div>
        <p className="title">{what}</p>
        <p>{reasonOf(error)} Nothing that was recorded is lost.</p>
        <div className="actions">
          {retry !== undefined && (
            <button type="button" className="button" onClick={retry}>
              Try again
            </button>
          )}
          {known !== null && <code>{known.code}</code>}
        </div>
      </div>
    </div>
  );
}

interface LoadedProps<Data> {
  query: { data: Data | undefined; error: Error | null; refetch: () => unknown };
  what: string;
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** The data of a query; until it is there, its place, and if it cannot be had, why. */
export function Loaded<Data>({ query, what, rows = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <Failure what={what} error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton rows={rows} />;
}
