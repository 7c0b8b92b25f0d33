// Loads the rest of the page while the browser is idle, so that every view also opens without a connection.

const FALLBACK_DELAY = 3_000;

type Load = () => Promise<unknown>;

/** Load one after the other while the browser is idle; returns a function that stops it. */
export function loadWhenIdle(loads: readonly Load[]): () => void {
  let stopped = false;
  const next = (index: number) => {
    const load = loads[index];
    if (load === undefined) return;
    whenIdle(() => {
      if (!stopped)
        void load()
          .catch(ignoreFailure)
          .then(() => next(index + 1)); // a visit tries again
    });
  };
  next(0);
  return () => {
    stopped = true;
  };
}

function ignoreFailure(): void {}

/** Call it when the browser has nothing else to do; Safari cannot tell, so it is called after a few seconds there. */
function whenIdle(act: () => void): void {
  if (typeof requestIdleCallback === "function") requestIdleCallback(act);
  else setTimeout(act, FALLBACK_DELAY);
}
