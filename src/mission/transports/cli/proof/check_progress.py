"""Live progress of a task's checks: one line for each that ends, and what runs now."""

from __future__ import annotations

import sys
import time
from typing import Any

import click

from mission.domain.checks.evidence import EvidenceState
from mission.transports.cli import daemon_client as client
from mission.transports.cli.check_words import STATE_COLORS, seconds_words, state_words
from mission.transports.cli.output import plain

LOOK_SECONDS = 1.0
UNDER_WAY = frozenset({EvidenceState.QUEUED, EvidenceState.RUNNING, "not_run"})


def follow_checks(task_id: str, *, quiet: bool) -> dict[str, Any]:
    """Return the results of a task's checks once they are done; report each outcome as it comes."""
    started = time.monotonic()
    shown = _Shown(quiet=quiet)
    while True:
        found = client.call("task_checks", {"task_id": task_id, "wait_seconds": LOOK_SECONDS})
        shown.update(found, elapsed=time.monotonic() - started)
        if found["state"] != "running":
            return found


class _Shown:
    """The lines printed so far; the last line of a terminal shows what runs now."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stdout.isatty()
        self._done: set[str] = set()

    def update(self, found: dict[str, Any], *, elapsed: float) -> None:
        if self._quiet:
            return
        self._clear()
        for check in found["checks"]:
            if check["state"] not in UNDER_WAY and check["evidence_id"] not in self._done:
                self._done.add(check["evidence_id"])
                words = click.style(state_words(check), fg=STATE_COLORS.get(check["state"]))
                taken = f", {seconds_words(check['seconds'])}" if check["seconds"] is not None else ""
                click.echo(f"{plain(check['name'])}: {words}{taken}")
        if self._live and found["state"] == "running":
            click.echo(f"{_now(found)} … {elapsed:.0f} s", nl=False)

    def _clear(self) -> None:
        if self._live:
            click.echo("\r\x1b[K", nl=False)


def _now(found: dict[str, Any]) -> str:
    """Return what is happening: a check that failed is run on the start tree too, after the others."""
    running = [plain(check["name"]) for check in found["checks"] if check["state"] == EvidenceState.RUNNING]
    if running:
        return ", ".join(running)
    has_failed = any(check["state"] == EvidenceState.FAILED for check in found["checks"])
    return "running the failed checks on the start tree" if has_failed else "waiting for a turn"
