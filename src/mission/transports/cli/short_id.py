"""Ids in commands: the beginning of one is enough as long as no other id begins like that, and shells complete it."""

from __future__ import annotations

import re
from typing import Any

import click
from click.shell_completion import CompletionItem

from mission.domain.ids import KINDS, LENGTH, PREFIXES
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as daemon
from mission.transports.cli.names import with_name

_SHORTENED = re.compile(rf"(?:{'|'.join(KINDS)})_[0-9a-z]{{1,{LENGTH - 1}}}")
MAX_OFFERED = 50
OFFER_SECONDS = 2.0


class ShortId(click.ParamType[str]):
    """An id, whole or shortened. The kinds are what a shell offers; the command judges what it gets."""

    name = "id"

    def __init__(self, *kinds: str) -> None:
        self._starts = [f"{PREFIXES[kind]}_" for kind in kinds]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the whole id; text that is not a shortened id stays as it is."""
        if not _SHORTENED.fullmatch(value):
            return str(value)
        try:
            found = daemon.call("overview_ids", {"prefix": value})
        except (ToolFailed, DaemonUnavailable):
            return str(value)  # the command's own call reports the problem better
        if len(found["ids"]) > 1:
            several = ", ".join(with_name(id, found["names"]) for id in found["ids"])
            self.fail(f"'{value}' is the beginning of several ids: {several}", param, ctx)
        return str(found["ids"][0]) if found["ids"] else str(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002
        """Return the ids that begin so, as far as a running daemon knows them."""
        starts = [incomplete if incomplete.startswith(start) else start for start in self._starts]
        return [item for start in starts if start.startswith(incomplete) for item in _offered(start)]


MISSION_ID = ShortId("mission")
TASK_ID = ShortId("task")
MISSION_OR_TASK_ID = ShortId("mission", "task")
EXECUTION_ID = ShortId("execution")
EXECUTION_OR_RUN_ID = ShortId("execution", "run")
RUN_ID = ShortId("run", "mission")
"""A run is named by its own id or by its mission's."""
ITEM_ID = ShortId("inbox item")
AGENT_ID = ShortId("agent")
EVIDENCE_ID = ShortId("evidence")
AUDIT_ID = ShortId("audit entry")


def _offered(start: str) -> list[CompletionItem]:
    try:
        found = daemon.call("overview_ids", {"prefix": start, "limit": MAX_OFFERED}, start=False, timeout=OFFER_SECONDS)
    except (ToolFailed, DaemonUnavailable, OSError):
        return []  # a shell that completes must not show errors
    return [CompletionItem(id, help=found["names"].get(id)) for id in found["ids"]]
