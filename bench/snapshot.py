"""Measure snapshots and tree ids of a large repository, and `start_task` in a small one, against `git status`."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.effort import Effort
from bench.protocol import STATELESS
from bench.report import Row, Target, compared
from bench.server import daemon
from bench.timing import Series, interleave
from bench.work import http_turn, new_task
from mission.git.snapshot import Snapshots
from mission.git.tree_identity import identify
from mission.git.working_tree import find_tree

SECTION = "git"
FLOOR = "git status -uall"
PER_FOLDER = 100
SMALL = 200
STATUS = ("status", "--porcelain", "-uall")
SETTLED_SECONDS = 2.0
"""After this time, git trusts the times of files that were written before the index."""


def measure(effort: Effort) -> list[Row]:
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        return [*_snapshots(Path(folder), effort), _start_task(Path(folder), effort)]


def _snapshots(folder: Path, effort: Effort) -> list[Row]:
    large = generate(folder / "large", files=effort.files)
    snapshots, tree = Snapshots(folder / "snapshots"), find_tree(large)
    first = _seconds(lambda: snapshots.take(tree))
    first_id = _seconds(lambda: identify(snapshots, tree))
    turns = {
        "snapshot": lambda: [_seconds(lambda: snapshots.take(tree))],
        "id": lambda: [_seconds(lambda: identify(snapshots, tree))],
        "status": lambda: [_seconds(lambda: git(large, *STATUS))],
    }
    series = interleave(turns, rounds=effort.snapshots)
    floor = series["status"]
    snapshot, id = f"snapshot of {effort.files:,} files", f"tree id of {effort.files:,} files"
    return [
        compared(SECTION, snapshot, series["snapshot"], floor, floor_name=FLOOR, target=Target(1.5)),
        _once(f"the first {snapshot}", first, floor),
        compared(SECTION, id, series["id"], floor, floor_name=FLOOR, target=Target(1.5)),
        _once(f"the first {id}", first_id, floor),
    ]


def _once(what: str, seconds: float, floor: Series) -> Row:
    return Row(
        section=SECTION,
        what=what,
        figure=seconds * 1000,
        unit="ms",
        floor=FLOOR,
        floor_figure=floor.p50 * 1000,
        ratio=seconds / floor.p50,
    )


def _start_task(folder: Path, effort: Effort) -> Row:
    small = generate(folder / "small", files=SMALL)
    calls = max(5, effort.calls // 4)
    with daemon(tasks=100) as server:
        turns = {
            "start": http_turn(
                server, STATELESS, "start_task", new_task, calls=calls, headers={"Mission-Directory": str(small)}
            ),
            "status": lambda: [_seconds(lambda: git(small, *STATUS)) for _ in range(calls)],
        }
        series = interleave(turns, rounds=effort.snapshots)
    what = f"start_task in a tree of {SMALL} files, http stateless"
    return compared(SECTION, what, series["start"], series["status"], floor_name=FLOOR)


def generate(path: Path, *, files: int) -> Path:
    """Create a repository with that many committed files, and wait until git trusts its index."""
    for number in range(files):
        folder = path / f"package{number // PER_FOLDER // PER_FOLDER}" / f"module{number // PER_FOLDER}"
        if number % PER_FOLDER == 0:
            folder.mkdir(parents=True)
        (folder / f"file{number}.py").write_text(f"VALUE = {number}\n")
    git(path, "init", "--quiet")
    time.sleep(SETTLED_SECONDS)
    git(path, "-c", "core.looseCompression=0", "add", "--all")
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
    git(path, *identity, "-c", "gc.auto=0", "commit", "--quiet", "--message", "Everything")
    git(path, *STATUS)
    return path


def git(path: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=path, check=True, stdout=subprocess.DEVNULL)


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start
