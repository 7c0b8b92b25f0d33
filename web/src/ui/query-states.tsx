// What a part of the page shows while it loads, when it is empty, and when it fails to load.
import { type ReactNode, useEffect, useState } from "react";

import { ApiError, reasonOf } from "@/api/call-tool";
import { StatusIcon } from "./status/status-icon";

const PATIENCE = 150;

/** Show gray placeholder rows, unless the data arrives quickly. */
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

interface FailureProps {
  title: string;
  error: Error;
  /** The label of the button. */
  action?: string;
  retry?: () => void;
}

const FAILED = { shape: "octagon", tone: "danger", word: "Failed" } as const;

/** Show what failed, why, what to do next, and the error code. */
export function Failure({ title, error, action = "Try again", retry }: FailureProps) {
  const known = error instanceof ApiError ? error : null;
  return (
    <div className="failure" role="alert">
      <StatusIcon status={FAILED} decorative />
      <div>
        <p className="title">{title}</p>
        <p>{reasonOf(error)}</p>
        <div className="actions">
          {retry !== undefined && (
            <button type="button" className="button" onClick={retry}>
              {action}
            </button>
          )}
          {known !== null && <code>{known.code}</code>}
        </div>
      </div>
    </div>
  );
}

interface LoadedProps<Data> {
  query: {
    data: Data | undefined;
    error: Error | null;
    refetch: () => unknown;
  } /** What is loaded, as in “Could not load agents.” */;
  what: string;
  rows?: number;
  children: (data: Data) => ReactNode;
}

/** Show the data of a query, placeholder rows until it is there, or why it could not be loaded. */
export function Loaded<Data>({ query, what, rows = 4, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null)
    return <Failure title={`Could not load ${what}.`} error={query.error} retry={() => void query.refetch()} />;
  return <Skeleton rows={rows} />;
}
