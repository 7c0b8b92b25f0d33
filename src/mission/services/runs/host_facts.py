"""What the host of a run has room for, and what its processes show: slots, disk space, clients, signs of life."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from mission.domain.runs.run import Run
from mission.domain.runs.view import ClientView
from mission.services.runs.context import RunContext
from mission.services.runs.view_reader import ProcessFacts
from mission.services.runs.viewing.circles import going_in_circles

GIGABYTE = 1 << 30
MEMORY_PER_AGENT = 1.5 * GIGABYTE
KEEP_SECONDS = 10.0
"""How long what was found on the host is used."""
LACKING_SECONDS = 1.0
"""How long it is used if something is missing."""
CIRCLE_SECONDS = 30.0
MEMORY = Path("/proc/meminfo")


@dataclass(slots=True)
class _Kept:
    """The facts found about one run, and when."""

    at: float = float("-inf")
    slots: int = 1
    has_disk: bool = True
    clients: Mapping[str, ClientView] = field(default_factory=dict)
    circles_at: float = float("-inf")
    circles: Mapping[str, str] = field(default_factory=dict)
    changed_at: datetime | None = None
    """When the run had last been changed."""

    def is_old(self, run: Run, *, now: float) -> bool:
        """Return whether to look again: a person may have repaired what was missing, or changed the run."""
        lacks = not self.has_disk or any(each.problem is not None for each in self.clients.values())
        keep = LACKING_SECONDS if lacks else KEEP_SECONDS
        return now - self.at > keep or self.changed_at != run.updated_at


class HostFacts:
    """Looks at the host now and then, because looking costs time."""

    def __init__(self, context: RunContext) -> None:
        self._context = context
        self._kept: dict[str, _Kept] = {}

    def forget(self, run_id: str) -> None:
        self._kept.pop(run_id, None)

    async def of(
        self, run: Run, *, live: list[str], launching: Mapping[str, str], stopping: frozenset[str]
    ) -> ProcessFacts:
        """Return what is known about the host and about these live executions."""
        kept = self._kept.setdefault(run.id, _Kept())
        clock = asyncio.get_running_loop().time
        if kept.is_old(run, now=clock()):
            await asyncio.to_thread(self._look, run, kept)
            kept.at, kept.changed_at = clock(), run.updated_at
        if live and clock() - kept.circles_at > CIRCLE_SECONDS:
            kept.circles = await self._context.work.read(going_in_circles, run_id=run.id)
            kept.circles_at = clock()
        return ProcessFacts(
            slots=kept.slots,
            has_disk=kept.has_disk,
            clients=kept.clients,
            active={each: self._context.launcher.active_at(each) for each in live},
            in_tool={each: self._context.launcher.in_tool_since(each) for each in live},
            circles=kept.circles,
            launching=launching,
            stopping=stopping,
            daily=self._context.daily,
        )

    def _look(self, run: Run, kept: _Kept) -> None:
        context = self._context
        kept.slots = context.agent_slots or slots(cores=os.cpu_count() or 1, memory=free_memory())
        kept.has_disk = has_space(Path(run.repository), gigabytes=context.min_free_gb)
        kept.clients = {client: self._client(run, client) for client in {each.client for each in run.wanted.agents}}

    def _client(self, run: Run, client: str) -> ClientView:
        """Return whether a client can be launched: one of several commands is enough."""
        wanted, launcher = run.wanted, self._context.launcher
        lost = launcher.lost_variables(run.id, wanted.variables.get(client, ()))
        if lost:
            return ClientView(name=client, problem=f"the daemon no longer has {', '.join(lost)}", lost=tuple(lost))
        programs = [each.command[0] if each.command else None for each in wanted.agents if each.client == client]
        problems = [launcher.problem_of(run.id, client, program=each) for each in programs]
        return ClientView(name=client, problem=None if None in problems else problems[0])


def slots(*, cores: int, memory: int | None) -> int:
    """Return how many agents a host has room for: by its cores and its free memory, and always one."""
    by_memory = int(memory // MEMORY_PER_AGENT) if memory is not None else cores * 2
    return max(1, min(cores * 2, by_memory))


def free_memory(source: Path = MEMORY) -> int | None:
    """Return how many bytes of memory are available; None where the system does not say."""
    try:
        lines = source.read_text().splitlines()
    except OSError:
        return None
    found = next((line.split()[1] for line in lines if line.startswith("MemAvailable:")), None)
    return int(found) * 1024 if found is not None else None


def has_space(path: Path, *, gigabytes: float) -> bool:
    """Return whether so much space is free; a folder that cannot be asked about is no reason to wait."""
    try:
        return shutil.disk_usage(path).free >= gigabytes * GIGABYTE
    except OSError:
        return True
