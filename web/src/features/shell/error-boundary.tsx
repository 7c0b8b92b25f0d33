// Shown in place of a page that failed to render: after an update removed a file it needs, or without a connection.
import { Component, type ReactNode, useEffect } from "react";

import { live, useConnection } from "@/live/live-connection";
import { Empty, Failure } from "@/ui/query-states";

const NOT_LOADED = /preload|import/i;

/** Return whether a part of the page could not be loaded because its server cannot be reached. */
function isUnreachable(error: Error): boolean {
  return NOT_LOADED.test(error.message) && live.state().state !== "live";
}

/** Shown instead of a page that could not be loaded; it reloads once the server is back. */
function NotConnected() {
  const connection = useConnection();
  useEffect(() => {
    if (connection.state === "live") location.reload();
  }, [connection.state]);
  return (
    <div className="page">
      <h1>Not connected</h1>
      <section className="card">
        <Empty title="This page is not loaded yet">
          Mission Control cannot be reached. The page loads as soon as the connection is back. Nothing that was recorded
          is lost.
        </Empty>
      </section>
    </div>
  );
}

interface ErrorBoundaryProps {
  /** The current address. The error is cleared when it changes. */
  at: string;
  children: ReactNode;
}

interface ErrorBoundaryState {
  error: Error | null;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: ErrorBoundaryProps): void {
    if (before.at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    if (isUnreachable(this.state.error)) return <NotConnected />;
    return (
      <div className="page">
        <h1>Something went wrong on this page</h1>
        <section className="card">
          <Failure
            title="Reload it; Mission Control may have been updated."
            error={this.state.error}
            action="Reload"
            retry={() => location.reload()}
          />
        </section>
      </div>
    );
  }
}
