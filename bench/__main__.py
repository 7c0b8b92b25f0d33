"""`python -m bench`: measure, print a table for each section as soon as it is ready, and save all as JSON."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable

from bench import (
    audit,
    bridge,
    calls,
    claiming,
    controller,
    executions,
    launching,
    listing,
    mailbox,
    many,
    merging,
    page,
    plans,
    polls,
    proof,
    recall,
    runs,
    snapshot,
    startup,
)
from bench.effort import FULL, QUICK, Effort
from bench.report import Row, save, show

SECTIONS: dict[str, Callable[[Effort], list[Row]]] = {
    "calls": calls.measure,
    "audit": audit.measure,
    "many": many.measure,
    "merging": merging.measure,
    "bridge": bridge.measure,
    "executions": executions.measure,
    "launching": launching.measure,
    "listing": listing.measure,
    "claiming": claiming.measure,
    "controller": controller.measure,
    "mailbox": mailbox.measure,
    "page": page.measure,
    "plans": plans.measure,
    "polls": polls.measure,
    "proof": proof.measure,
    "recall": recall.measure,
    "runs": runs.measure,
    "snapshot": snapshot.measure,
    "startup": startup.measure,
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a quick run of about a minute: fewer rounds, fewer files")
    parser.add_argument("--only", action="append", choices=SECTIONS, help="measure this section; may be repeated")
    options = parser.parse_args()
    effort = QUICK if options.quick else FULL
    rows: list[Row] = []
    try:
        for name in options.only or SECTIONS:
            begun = time.monotonic()
            found = SECTIONS[name](effort)
            show(found)
            print(f"{name}: measured in {time.monotonic() - begun:.0f} s\n", file=sys.stderr)
            rows += found
    except KeyboardInterrupt:
        print("\nStopped. The measurements so far were saved.", file=sys.stderr)
    path = save(rows, quick=options.quick)
    missed = sum(row.met is False for row in rows)
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"\n{missed} target(s) missed. Load {load} on {os.cpu_count()} cores. Saved in {path}")


if __name__ == "__main__":
    main()
