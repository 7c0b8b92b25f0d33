"""The measured processes: daemons with tasks in their store, and the SDK's empty tool for comparison."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import seed
from bench.http import Address

START_SECONDS = 60.0
ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, kw_only=True, slots=True)
class Daemon:
    """A running daemon whose store holds one mission, with one WebSocket client that reads every event."""

    address: Address
    home: Path
    pid: int
    mission_id: str
    task_ids: Sequence[str]

    @property
    def database(self) -> Path:
        return self.home / "mission.db"


@contextmanager
def daemon(*, tasks: int, audited: bool = True, settings: Mapping[str, str] | None = None) -> Iterator[Daemon]:
    """Yield a daemon on a store of its own with that many tasks in one mission; `settings` are variables for it."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        home = Path(folder)
        planted = asyncio.run(seed.plant(home, tasks=tasks))
        module = "mission" if audited else "bench.unaudited"
        with _process([sys.executable, "-m", module, "up", "--port", "0"], home, settings=settings) as process:
            address = _address(home / "daemon.json", process)
            with listening(address, home):
                yield Daemon(
                    address=address,
                    home=home,
                    pid=process.pid,
                    mission_id=planted.mission_id,
                    task_ids=planted.task_ids,
                )


@contextmanager
def start(home: Path) -> Iterator[Address]:
    """Yield a daemon on an existing store."""
    with mission_up(home) as (address, _):
        yield address


@contextmanager
def mission_up(home: Path) -> Iterator[tuple[Address, int]]:
    """Yield the address and the process id of a daemon on an existing store."""
    with _process([sys.executable, "-m", "mission", "up", "--port", "0"], home) as process:
        yield _address(home / "daemon.json", process), process.pid


@contextmanager
def empty_server() -> Iterator[Address]:
    """Yield the SDK alone: a server whose only tool does nothing."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder:
        place = Path(folder) / "address.json"
        with _process([sys.executable, "-m", "bench.empty", str(place)], Path(folder)) as process:
            yield _address(place, process)


def environment(home: Path) -> dict[str, str]:
    """Return our environment without variables that affect Mission Control, and with the code next to the benchmark."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MISSION_", "GIT_", "CLAUDE_"))}
    return {**kept, "MISSION_HOME": str(home), "PYTHONPATH": f"{ROOT}:{ROOT / 'src'}"}


@contextmanager
def listening(address: Address, home: Path) -> Iterator[None]:
    """Receive every event during the block, as a page does."""
    command = [sys.executable, "-m", "bench.listener", address.host, str(address.port), address.token]
    with _process(command, home, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        if process.stdout.readline() != b"subscribed\n":
            raise RuntimeError("the WebSocket client could not subscribe")
        yield
        if process.poll() is not None:
            raise RuntimeError("the WebSocket client was lost during the measurement")


@contextmanager
def _process(
    command: Sequence[str],
    home: Path,
    *,
    stdout: int = subprocess.DEVNULL,
    settings: Mapping[str, str] | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    variables = {**environment(home), **(settings or {})}
    process = subprocess.Popen(command, cwd=home, env=variables, stdin=subprocess.DEVNULL, stdout=stdout)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=30)
        if process.stdout is not None:
            process.stdout.close()


def _address(path: Path, process: subprocess.Popen[bytes]) -> Address:
    """Return the address of the process, which it writes to a file once it listens."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            facts = json.loads(path.read_text())
        except (OSError, ValueError):
            time.sleep(0.02)
            continue
        return Address(host=facts["host"], port=facts["port"], token=facts.get("token", ""))
    raise RuntimeError(f"{process.args!r} did not start")
