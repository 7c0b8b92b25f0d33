"""`python -m bench.peers`: measure Mission Control next to other task servers for agents, in one run."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.peers.chart import chart
from bench.peers.install import install
from bench.peers.measuring import Measured, installed, measure
from bench.peers.servers import OPERATIONS, SERVERS
from bench.report import RESULTS

SIZES = (100, 10_000)
PICTURE = Path(__file__).resolve().parent.parent.parent / "docs" / "pictures" / "peers.svg"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description=__doc__)
    parser.add_argument("--calls", type=int, default=150, help="calls per operation (default: 150)")
    parser.add_argument("--seconds", type=float, default=15, help="time limit per operation (default: 15)")
    parser.add_argument("--items", type=int, action="append", help="items in the store; repeatable (100 and 10,000)")
    parser.add_argument("--picture", action="store_true", help="rewrite the chart in docs/pictures")
    options = parser.parse_args()
    install()
    results = []
    for items in options.items or SIZES:
        for server in SERVERS:
            if not installed(server):
                print(f"{server.name} is not installed and was skipped.")
                continue
            results.append(measure(server, items=items, calls=options.calls, seconds=options.seconds))
            _show(results[-1:])
    _show(results)
    if options.picture:
        PICTURE.write_text(chart(results, items=max(each.items for each in results)))
    print(f"Load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores. Saved in {_save(results)}")


def _show(results: Sequence[Measured]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("p50 in ms", "items", "start", *OPERATIONS, "MiB"):
        table.add_column(title, justify="left" if title == "p50 in ms" else "right")
    for each in results:
        times = [f"{each.times_ms[name]:,.1f}" if name in each.times_ms else "–" for name in OPERATIONS]
        table.add_row(each.server, f"{each.items:,}", f"{each.start_ms:,.0f}", *times, f"{each.memory_mib:.0f}")
    Console().print(table)
    for each in results:
        for operation, words in each.refused.items():
            print(f"{each.server} refused {operation}: {words}")


def _save(results: Sequence[Measured]) -> Path:
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"peers-{datetime.now(UTC):%Y%m%d-%H%M%S}.json"
    path.write_text(json.dumps([asdict(each) for each in results], indent=1))
    return path


if __name__ == "__main__":
    main()
