// Refetches stale queries: at once when it is quiet, at growing intervals while events keep coming.
import type { Query, QueryClient } from "@tanstack/react-query";

import type { EventFrame } from "./event-socket";
import { FADING, isStale } from "./stale-queries";

const MIN_INTERVAL = 100;
const MAX_INTERVAL = 1_000;
const CALM = 2_000;

interface Pace {
  running: boolean;
  again: boolean;
  wait: number;
  last: number;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class QueryRefresher {
  private readonly paces = new Map<string, Pace>();

  constructor(private readonly client: QueryClient) {}

  events(events: readonly EventFrame[]): void {
    for (const query of this.client.getQueryCache().getAll()) {
      if (isStale(query.queryKey, events)) this.refresh(query);
    }
  }

  /** Refetch queries that go out of date without an event. */
  fading(): void {
    for (const query of this.client.getQueryCache().getAll()) {
      if (query.getObserversCount() > 0 && FADING.has(String(query.queryKey[0]))) this.refresh(query);
    }
  }

  everything(): void {
    void this.client.invalidateQueries();
  }

  private refresh(query: Query): void {
    if (query.getObserversCount() === 0) return void query.invalidate();
    const pace = this.pace(query.queryHash);
    if (pace.running || pace.timer !== undefined) {
      pace.again = true;
      return;
    }
    const now = performance.now();
    pace.wait = now - pace.last > CALM ? MIN_INTERVAL : Math.min(pace.wait * 1.3, MAX_INTERVAL);
    const pause = Math.max(0, pace.last + pace.wait - now);
    pace.timer = setTimeout(() => void this.read(query, pace), pause);
  }

  private async read(query: Query, pace: Pace): Promise<void> {
    pace.timer = undefined;
    pace.running = true;
    pace.again = false;
    pace.last = performance.now();
    try {
      await this.client.refetchQueries({ queryKey: query.queryKey, exact: true }, { cancelRefetch: true });
    } finally {
      pace.running = false;
      if (pace.again) this.refresh(query);
    }
  }

  private pace(hash: string): Pace {
    let pace = this.paces.get(hash);
    if (pace === undefined) {
      pace = { running: false, again: false, wait: MIN_INTERVAL, last: -Infinity, timer: undefined };
      this.paces.set(hash, pace);
    }
    return pace;
  }
}
