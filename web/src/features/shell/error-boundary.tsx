// Shown in place of a page that failed to render, such as after an update removed a file it needs.
import { Component, type ReactNode } from "react";

import { Failure } from "@/ui/query-states";

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
