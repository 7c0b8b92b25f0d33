"""Many callers at once: check that one commit holds the writes of several, and that none is lost."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from statistics import median, quantiles

from bench.effort import Effort
from bench.http import Address, Connection, exchange_many
from bench.protocol import ERAS, Era
from bench.report import Row, Target
from bench.seed import MEASURED, count_measured
from bench.server import Daemon, daemon, empty_server
from bench.timing import check
from bench.work import milestone

CLIENTS = 32
PER_CLIENT = 10
SECTION = f"{CLIENTS} callers at once"


@dataclass(slots=True)
class Crowd:
    """The rates and times at one number of clients, over the rounds."""

    rates: list[float] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def take(self, connections: list[Connection], requests: list[bytes]) -> None:
        start = time.perf_counter()
        times, answers = exchange_many(connections, requests)
        self.rates.append(len(answers) / (time.perf_counter() - start))
        self.times += times
        for answer in answers:
            check(answer)

    def row(self, what: str, alone: Crowd, *, target: Target | None) -> Row:
        return Row(
            section=SECTION,
            what=what,
            figure=median(self.rates),
            unit="/s",
            p99=quantiles(self.times, n=100, method="inclusive")[98] * 1000,
            rate=median(self.rates),
            floor="one caller",
            floor_figure=median(alone.rates),
            ratio=median(many / one for many, one in zip(self.rates, alone.rates, strict=True)),
            target=target,
        )


def measure(effort: Effort) -> list[Row]:
    rows: list[Row] = []
    with ExitStack() as stack:
        server = stack.enter_context(daemon(tasks=100))
        empty = stack.enter_context(empty_server())
        written = 0
        for era in ERAS:
            alone, crowd = _rounds(server.address, _milestones(server, era), effort)
            written += len(alone.times) + len(crowd.times)
            rows.append(crowd.row(f"log_milestone, http {era.name}", alone, target=Target(1.4, "at least")))
            request = empty.call(era, "nothing", {"message": MEASURED})
            alone, crowd = _rounds(empty, itertools.repeat(request), effort)
            rows.append(crowd.row(f"empty SDK tool, {era.name}", alone, target=None))
        rows.append(_none_lost(acknowledged=written, stored=count_measured(server.database)))
    return rows


def _rounds(address: Address, requests: Iterator[bytes], effort: Effort) -> tuple[Crowd, Crowd]:
    alone, crowd = Crowd(), Crowd()
    with _connections(address) as connections:
        for _ in range(effort.rounds):
            alone.take(connections[:1], list(itertools.islice(requests, effort.calls)))
            crowd.take(connections, list(itertools.islice(requests, CLIENTS * PER_CLIENT)))
    return alone, crowd


def _milestones(server: Daemon, era: Era) -> Iterator[bytes]:
    return (server.address.call(era, "log_milestone", milestone(server, number)) for number in itertools.count())


@contextmanager
def _connections(address: Address) -> Iterator[list[Connection]]:
    connections = [Connection(address) for _ in range(CLIENTS)]
    yield connections
    for connection in connections:
        connection.close()


def _none_lost(*, acknowledged: int, stored: int) -> Row:
    return Row(
        section=SECTION,
        what="milestones in the store afterwards",
        figure=stored,
        unit="rows",
        floor="acknowledged",
        floor_figure=acknowledged,
        ratio=stored / acknowledged,
        target=Target(1.0, "at least"),
    )
