"""Checks that run in a folder of their own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mission.domain.ids import new_id
from mission.runtime.checking.check_process import Checks
from mission.runtime.runner import process_group as processes
from mission.services.checks.check_runner import CheckExit, CheckStart

PATIENCE = 60.0
Start = Callable[..., Awaitable[str]]
Run = Callable[..., Awaitable[CheckExit]]


def hide(text: str) -> str:
    """Mask the only secret of these tests."""
    return text.replace("s3cret-s3cret", "***")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "checks"


@pytest.fixture
def checks(home: Path) -> Checks:
    return Checks(home, mask=hide)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "tree").mkdir()
    return tmp_path / "tree"


@pytest.fixture
def start(checks: Checks, tree: Path) -> Start:
    async def start(command: str, **options: Any) -> str:
        evidence_id = new_id("evidence")
        environment = {"PATH": os.environ["PATH"], **options.pop("environment", {})}
        given = {"directory": tree, "seconds": 60.0, **options}
        await checks.start(CheckStart(evidence_id=evidence_id, command=command, environment=environment, **given))
        return evidence_id

    return start


@pytest.fixture
def run(checks: Checks, start: Start) -> Run:
    async def run(command: str, **options: Any) -> CheckExit:
        async with asyncio.timeout(PATIENCE):
            return await checks.wait(await start(command, **options))

    return run


async def until(is_true: Callable[[], Any]) -> Any:
    """Wait until the function returns something true, and return that."""
    async with asyncio.timeout(PATIENCE):
        while not (found := is_true()):  # noqa: ASYNC110 - files report nothing
            await asyncio.sleep(0.01)
    return found


def has_printed(folder: Path) -> bool:
    """Return whether the check with this folder has printed something."""
    path = folder / "printed.000000"
    return path.exists() and path.stat().st_size > 0


def marked(evidence_id: str) -> set[int]:
    """Return the live processes that have the evidence id."""
    return processes.members(evidence_id, group=None, variable=processes.EVIDENCE_VARIABLE)


def plain(end: CheckExit) -> CheckExit:
    """Return the end without its times."""
    return replace(end, seconds=0.0, started_at=None)
