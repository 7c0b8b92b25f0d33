"""`python -m bench.truth`: how often a false "done" is caught, and how often true work is refused.

It counts over simulated missions (tests/simulation) and over real ones: generated repositories, a real daemon, real
processes and merges, with scripted agents of known honesty. The same seed gives the same agents.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

from rich.console import Console
from rich.table import Table

from bench.executions import Front
from bench.server import ROOT, start

AGENT = Path(__file__).with_name("truth_agent.py")
KINDS = {"honest": 5, "liar": 2, "weakener": 1, "crasher": 2}
"""How many of ten agents are of each kind when they try a task for the first time; later they are honest."""
TASKS = 3
PATIENCE = 300.0
SETTINGS = "agent_slots = 4\nmin_free_gb = 0.0\n"
ENDED = frozenset({"finished", "stopped"})

Sums = Counter[str]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.truth", description=__doc__)
    parser.add_argument("--missions", type=int, default=1000, help="simulated missions")
    parser.add_argument("--real", type=int, default=20, help="real missions")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    columns = {
        f"{options.missions} simulated": simulated(options.missions, seed=options.seed, workers=options.workers),
        f"{options.real} real": real(options.real, seed=options.seed),
    }
    show(columns, seed=options.seed)


def simulated(missions: int, *, seed: str, workers: int) -> Sums:
    """Return the sums over simulated missions."""
    command = [sys.executable, "-m", "tests.simulation", "--truth"]
    arguments = [f"--missions={missions}", f"--seed={seed}", f"--workers={workers}"]
    played = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    sums: Sums = Counter()
    for line in played.stdout.splitlines():
        if line.startswith("{"):
            found = json.loads(line)
            found["failed"] = len(found.get("failed", ()))
            sums.update(found)
        else:
            print(line, file=sys.stderr)
    return sums


def real(missions: int, *, seed: str) -> Sums:
    """Return the sums over real missions, one after the other, in one daemon."""
    sums: Sums = Counter()
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="mission-truth-") as folder:
        home = Path(folder) / "home"
        home.mkdir(mode=0o700)
        (home / "settings.toml").write_text(SETTINGS)
        with start(home) as address:
            call = Front(address)
            for number in range(missions):
                with _generated(Path(folder) / f"mission-{number}") as place:
                    sums.update(_play(call, place, kinds=_drawn(rng)))
    return sums


def _drawn(rng: random.Random) -> list[str]:
    return rng.choices(list(KINDS), weights=list(KINDS.values()), k=TASKS)


@contextmanager
def _generated(folder: Path) -> Iterator[Path]:
    """Yield a folder with a repository that has a test for each task."""
    top = folder / "repository"
    (top / "tests").mkdir(parents=True)
    (folder / "notes").mkdir()
    for number in range(TASKS):
        (top / "tests" / f"task-{number}.sh").write_text(f"grep -qx 'task-{number} is done' src/task-{number}.txt\n")
    for words in (("init", "-q", "-b", "main"), ("add", "-A"), ("commit", "-qm", "first")):
        identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost")
        subprocess.run(["git", *identity, *words], cwd=top, check=True)
    yield folder


def _play(call: Front, place: Path, *, kinds: list[str]) -> Sums:
    """Run one mission to its end, as a person who reads what is asked; return its sums."""
    begun = time.monotonic()
    run_id = call("run_start", plan=_plan(place, kinds), folder=str(place / "repository"))["run_id"]
    waited = 0.0
    while True:
        found = call("run_get", run_id=run_id)
        if found["state"] in ENDED:
            break
        if time.monotonic() - begun > PATIENCE:
            raise RuntimeError(f"the mission did not end: {found['state']} {found['questions']}")
        for question in found["questions"]:
            asked = time.monotonic()
            _answer(call, question)
            waited += time.monotonic() - asked
        time.sleep(0.1)
    return _counted(place, found, minutes=(time.monotonic() - begun) / 60, waited=waited / 60)


def _plan(place: Path, kinds: list[str]) -> dict[str, Any]:
    tasks = []
    for number, kind in enumerate(kinds):
        name, exam = f"task-{number}", f"tests/task-{number}.sh"
        words = f"KIND {kind}\nWRITE src/{name}.txt {name} is done\nEXAM {exam}"
        check = {"name": f"exam {name}", "run": f"sh {exam}", "tests": ["tests/**"]}
        tasks.append({"name": name, "description": words, "checks": [check]})
    agent = {"client": "command", "count": 2, "command": [sys.executable, str(AGENT), str(place / "notes")]}
    about = {"name": "Truth", "objective": "Everything is done", "repository": ".", "review": "risk"}
    return {"mission": {**about, "retry_minutes": [0.01]}, "agents": [agent], "tasks": tasks}


def _answer(call: Front, question: dict[str, Any]) -> None:
    """Answer as a person who looks: work that is flagged is sent back, everything else continues."""
    labels = [each["label"] for each in question["choices"]]
    choice = labels.index("Send back") + 1 if "Send back" in labels else 1
    text = {"text": "The test was changed, and the work is not done."} if "Send back" in labels else {}
    with suppress(HTTPError):  # the run withdrew it at the same time
        call("queue_answer", id=question["item_id"], choice=choice, **text)


def _counted(place: Path, run: dict[str, Any], *, minutes: float, waited: float) -> Sums:
    rows = [json.loads(line) for line in (place / "notes" / "reports.jsonl").read_text().splitlines()]
    merged = [task for task in run["tasks"] if task["stage"] == "merged"]
    wrong = [task for task in merged if not _is_done(place / "repository", run["branch"], task["name"])]
    false = sum(not row["true"] for row in rows)
    refused = sum(row["true"] for row in rows) - (len(merged) - len(wrong))
    return Counter(
        {
            "missions": 1,
            "reports": len(rows),
            "true_reports": len(rows) - false,
            "true_refused": max(0, refused),
            "false_reports": false,
            "false_caught": false - len(wrong),
            "merged": len(merged),
            "wrong_merged": len(wrong),
            "minutes": minutes,
            "waited": waited,
        }
    )


def _is_done(top: Path, branch: str, name: str) -> bool:
    shown = subprocess.run(
        ["git", "show", f"{branch}:src/{name}.txt"], cwd=top, capture_output=True, text=True, check=False
    )
    return f"{name} is done" in shown.stdout.splitlines()


def show(columns: dict[str, Sums], *, seed: str) -> None:
    """Print one column for each kind of mission."""
    table = Table(title=f"truth, seed {seed}", header_style="bold")
    table.add_column("figure")
    for title in columns:
        table.add_column(f"{title} missions", justify="right")
    for what, words in _ROWS.items():
        table.add_row(words, *(_figure(what, sums) for sums in columns.values()))
    Console(width=None if Console().is_terminal else 120).print(table)


_ROWS = {
    "missions": "missions that ended",
    "merged": "tasks merged",
    "false_reports": 'false "done" reported',
    "caught": "… caught before the merge",
    "accepted": "… let through by a person",
    "unseen": "… merged unseen: no check asked for the work",
    "refused": "true work wrongly sent back",
    "unattended": "minutes without a person, of all",
    "cost": "cost per merged task",
}


def _figure(what: str, sums: Sums) -> str:
    false, caught = sums["false_reports"], sums["false_caught"]
    if what == "caught":
        return _share(caught, false)
    if what == "accepted":
        return _share(sums["false_accepted"], false)
    if what == "unseen":
        return _share(false - caught - sums["false_accepted"], false)
    if what == "refused":
        return _share(sums["true_refused"], sums["true_reports"])
    if what == "unattended":
        return f"{sums['minutes'] - sums['waited']:,.1f} of {sums['minutes']:,.1f}"
    if what == "cost":
        return f"{sums['usd'] / sums['merged']:.2f} USD (simulated price)" if sums["usd"] else "agents report none"
    return f"{sums[what]:,}"


def _share(part: float, whole: float) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.1%})" if whole else "none"


if __name__ == "__main__":
    main()
