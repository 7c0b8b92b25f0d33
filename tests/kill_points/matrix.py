"""The cases of a matrix: which process is killed, at which point of which scenario, and how one case is carried out."""

from __future__ import annotations

import shutil
import subprocess
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mission.transports.bridge.daemon_process import ToolFailed
from tests.kill_points import end_state
from tests.kill_points.scene import Json, Nursery, Scene

Scenario = Callable[[Scene], Json]
Reached = tuple[str, str, str]
"""Whose point it is, the point, and the moment."""
Recorded = Mapping[str, Counter[Reached]]
"""For each scenario how often it reaches each point."""
BACKGROUND = (
    "write mission.services.upkeep.",
    "write mission.services.search.",
    "write mission.gateway.audit.",
    "write mission.services.agents.registration.heartbeat",
)
"""Writes that a daemon makes on its own, no matter what is done."""
SELF_KILLED = {
    ("check", "report"): 5,
    ("agent", "launched"): 8,
    ("check", "landed"): 6,
    ("agent", "landed"): 10,
}
"""Checks and agents have phases, at each of which they are killed: how many, by whose and which scenario."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One kill: `moment` is before or after the point, or child for the program that was just started there."""

    scenario: str
    of: str
    point: str
    moment: str
    number: int

    def __str__(self) -> str:
        return f"{self.scenario}: {self.of}, {self.moment} {self.point}, number {self.number}"


def first_times(points: Mapping[str, Iterable[str]], *, of: str = "daemon") -> list[Case]:
    """Return a case before and one after each point of the code, by the scenario that reaches it."""
    return [
        Case(scenario=scenario, of=of, point=point, moment=moment, number=1)
        for scenario, reached in points.items()
        for point in reached
        for moment in ("before", "after")
    ]


TRIES = 3
"""How often a case is tried whose point is reached only by chance."""


class Matrix:
    """Scenarios with real daemons, git and programs, in fresh homes."""

    def __init__(
        self, folder: Path, template: Path, scenarios: Mapping[str, Scenario], settings: Mapping[str, Json]
    ) -> None:
        self.nursery = Nursery()
        self._folder = folder
        self._template = template
        self._scenarios = scenarios
        self._settings = settings
        self._recorded: dict[str, Counter[Reached]] = {}
        self._played = 0

    def recorded(self) -> Recorded:
        """Play each scenario once without a kill, and return its points."""
        for name in self._scenarios:
            if name not in self._recorded:
                self._recorded[name] = Counter(self.play(name).points())
        return self._recorded

    def run(self, case: Case, **options: Any) -> bool:
        """Carry out a case; return whether its point was reached."""
        kill = {"of": case.of, "point": case.point, "moment": case.moment, "number": case.number}
        return self.play(case.scenario, kill=kill, **options).was_killed

    def play(self, name: str, **options: Any) -> Scene:
        """Play a scenario to its end and check what it left."""
        self._played += 1
        place = self._folder / f"{name}-{self._played}"
        home = place / "home"
        home.mkdir(mode=0o700, parents=True)
        if not options.get("database_url"):
            shutil.copy(self._template, home / "mission.db")
        scene = Scene(self.nursery, home, make_repository(place), settings=self._settings.get(name), **options)
        try:
            end_state.check(scene, self._scenarios[name](scene))
        finally:
            scene.end()
        return scene

    def fail_together(self, cases: Iterable[Case], *, by_chance: bool = False, **options: Any) -> None:
        """Carry out cases, and name all that fail.

        `by_chance` are points that were recorded once: some are reached only if two things happen in a certain order,
        as when a check ends while its round is looked at. Those are tried a few times.
        """
        failed = []
        for case in cases:
            try:
                tries = TRIES if by_chance and case.number == 1 else 1
                is_reached = any(self.run(case, **options) for _ in range(tries))
                assert is_reached or by_chance or case.number > 1, "the process did not come to this point"
            except (AssertionError, ToolFailed) as problem:
                failed.append(f"{case}\n{problem}")
        assert not failed, "\n\n".join(failed)


def share_of(recorded: Recorded, share: int, *, of: int) -> list[Case]:
    """Return one of several shares of the cases. A case is in the same share, no matter what else was recorded."""
    return [case for case in cases_of(recorded) if zlib.crc32(str(case).encode()) % of == share]


def make_repository(place: Path) -> Path:
    """Make a repository with one commit."""
    top = place / "repository"
    (top / "src").mkdir(parents=True)
    (top / ".gitignore").write_text(".prepared\n")
    (top / "README.md").write_text("hello\n")
    (top / "src" / "app.py").write_text("print('hello')\n")
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=top, check=True)
    return top


def cases_of(recorded: Recorded) -> Iterator[Case]:
    """Yield the cases of what was recorded, in a fixed order.

    Around a write and a started program, the process is killed in each scenario, the first and the last time. Around a
    git command, or before a file is changed, it is killed in one scenario: these are the same everywhere. A git
    command and a runner are also killed themselves, right after they started.
    """
    seen: set[tuple[str, str, str]] = set()
    for scenario, points in recorded.items():
        for (of, point, moment), times in sorted(points.items()):
            kind = point.partition(" ")[0]
            is_everywhere = kind in {"file", "git"} or point.startswith(BACKGROUND)
            if is_everywhere and (of, point, moment) in seen:
                continue
            seen.add((of, point, moment))
            for number in [1] if kind == "file" else sorted({1, times}):
                yield Case(scenario=scenario, of=of, point=point, moment=moment, number=number)
                if moment == "after" and kind in {"git", "spawn"}:
                    yield Case(scenario=scenario, of=of, point=point, moment="child", number=number)
    for (of, scenario), phases in SELF_KILLED.items():
        for number in range(1, phases + 1) if scenario in recorded else ():
            yield Case(scenario=scenario, of=of, point="phase", moment="in", number=number)
