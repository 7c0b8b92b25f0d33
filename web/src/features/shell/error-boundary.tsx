// What stands where a page could not be drawn: a part of it that a newer version no longer has, or a mistake of ours.
import { Component, type ReactNode } from "react";

import { Failure } from "@/ui/query-states";

interface MishapProps {
  /** The address: another one is another try. */
  at: string;
  children: ReactNode;
}

interface MishapState {
  error: Error | null;
}

export class Mishap extends Component<MishapProps, MishapState> {
  override state: MishapState = { error: null };

  static getDerivedStateFromError(error: unknown): MishapState {
    return { error: error instanceof Error ? error : new Error(String(error)) };
  }

  override componentDidUpdate(before: MishapProps): void {
    if (before.at !== this.props.at && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <div className="page">
        <h1>This page could not be drawn</h1>
        <section className="card">
          <Failure
            what="Load it anew: Mission Control may have been updated since"
            error={this.state.error}
            retry={() => location.reload()}
          />
        </section>
      </div>
    );
  }
}
