"""`python -m tests.simulation`: play many missions in several processes, and print the seeds of those that fail.

The order in which Python walks through sets depends on its hash seed, so each process is started with a fixed one.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PIECE = 50
"""So many missions are played between two lines of progress."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.add_argument("--missions", type=int, default=500)
    parser.add_argument("--seed", default=os.environ.get("MISSION_TEST_SEED", "0"), help="the seed of the first one")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--common", action="store_true", help="leave out what rarely happens, such as two daemons")
    parser.add_argument("--truth", action="store_true", help="count what agents said and what was true, as JSON")
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":
        return _fan_out(options)
    return _play(options)


def _fan_out(options: argparse.Namespace) -> int:
    """Share the missions among processes; their lines appear as they are printed."""
    share = -(-options.missions // options.workers)
    begun = []
    for worker in range(options.workers):
        first, last = worker * share, min(options.missions, (worker + 1) * share)
        arguments = [f"--missions={last - first}", f"--first={options.first + first}", f"--seed={options.seed}"]
        begun.append(
            subprocess.Popen(
                [sys.executable, "-m", "tests.simulation", *arguments, *_flags(options)],
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": "0"},
            )
        )
    return max(process.wait() for process in begun)


def _flags(options: argparse.Namespace) -> list[str]:
    return [f"--{name}" for name in ("common", "truth") if getattr(options, name)]


def _play(options: argparse.Namespace) -> int:
    from tests.simulation import scenarios
    from tests.simulation.mission import Simulator
    from tests.simulation.truth import Truth

    simulator, truth = Simulator(), Truth()
    draw = scenarios.common if options.common else scenarios.drawn
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 10, 10)  # what was imported stays, and a mission leaves little behind
    states: Counter[str] = Counter()
    failed: list[str] = []
    begun = time.monotonic()
    for number in range(options.first, options.first + options.missions):
        seed = f"{options.seed}-{number}"
        scenario = scenarios.doubtful() if options.truth else draw(seed)
        try:
            outcome = simulator.play(scenario, seed=seed)
        except Exception as error:  # noqa: BLE001 - the next mission may fail for another reason
            failed.append(seed)
            _say(f"mission {seed} failed: {error}")
            if not isinstance(error, AssertionError):
                traceback.print_exc()
            continue
        states[outcome.state] += 1
        truth.add(outcome)
        done = number - options.first + 1
        if not options.truth and done % PIECE == 0:
            _say(f"{done} of {options.missions} missions from {options.first}: {dict(states)}, {len(failed)} failed")
    return _report(options, truth.as_dict(), states, failed, seconds=time.monotonic() - begun)


def _report(
    options: argparse.Namespace, truth: dict[str, Any], states: Counter[str], failed: list[str], *, seconds: float
) -> int:
    if options.truth:
        print(json.dumps({**truth, "missions": sum(states.values()), "failed": failed}))
    else:
        spent = f"{seconds:.0f} s ({time.process_time():.0f} s of CPU)"
        _say(f"{options.missions} missions in {spent}, seed {options.seed}: {len(failed)} failed")
        for seed in failed:
            base, _, number = seed.rpartition("-")
            _say(f"repeat it with: python -m tests.simulation --missions 1 --seed {base} --first {number}")
    return int(bool(failed))


def _say(words: str) -> None:
    print(words, flush=True)


if __name__ == "__main__":
    sys.exit(main())
