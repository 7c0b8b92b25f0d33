"""Times of several subjects that take turns, and their ratios."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Protocol

WARM_UP = 3
Turn = Callable[[], Sequence[float]]


class Transport(Protocol):
    """A connection to a server: sends a prepared request and returns the answer."""

    def exchange(self, request: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Series:
    """The times of one subject, round by round, in seconds."""

    rounds: Sequence[Sequence[float]]

    @property
    def p50(self) -> float:
        return median(median(times) for times in self.rounds)

    @property
    def p99(self) -> float:
        pooled = [each for times in self.rounds for each in times]
        return quantiles(pooled, n=100, method="inclusive")[98] if len(pooled) > 1 else pooled[0]

    @property
    def rate(self) -> float:
        """Return the calls per second of one caller that sends the next call after each answer."""
        return median(len(times) / sum(times) for times in self.rounds)

    def against(self, floor: Series) -> float:
        """Return the ratio of the two within each round: a slow moment affects both."""
        return median(median(ours) / median(theirs) for ours, theirs in zip(self.rounds, floor.rounds, strict=True))


def interleave(subjects: Mapping[str, Turn], *, rounds: int) -> dict[str, Series]:
    """Let each subject take its turn in every round."""
    taken: dict[str, list[Sequence[float]]] = {name: [] for name in subjects}
    for number in range(rounds):
        order = list(subjects) if number % 2 == 0 else list(subjects)[::-1]
        for name in order:
            taken[name].append(subjects[name]())
    return {name: Series(times) for name, times in taken.items()}


def timed(transport: Transport, requests: Sequence[bytes]) -> list[float]:
    """Return how long each exchange took; the first few are warm-up. A refused call is an error."""
    times, answers = [], []
    for request in requests:
        start = time.perf_counter()
        answer = transport.exchange(request)
        times.append(time.perf_counter() - start)
        answers.append(answer)
    for answer in answers:
        check(answer)
    return times[WARM_UP:]


def check(answer: bytes) -> None:
    if b'"result":' not in answer or b'"isError":true' in answer:
        raise RuntimeError(f"a measured call failed: {answer[-600:].decode('utf-8', 'replace')}")
