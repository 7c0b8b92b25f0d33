"""The sweep that finds unhealthy work. It keeps no state: everything is derived from the store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from mission.domain.inbox.health_findings import HealthFinding, crash_loop, silent_owner, tried_often
from mission.domain.inbox.item import SYSTEM, ItemKind
from mission.services.inbox import items as inbox
from mission.services.work import Work
from mission.store.transaction import Tx

EVERY = timedelta(minutes=1)
NO_LONGER = "this no longer applies"


async def sweep(work: Work, *, every: timedelta = EVERY) -> None:
    """Open an inbox item for each finding, once, if it is this daemon's turn; withdraw items that no longer apply.

    The scan reads every task of every open mission, so it runs outside any write.
    """
    if await work.write(_take_turn, every=every):
        await work.write(_update_items, found=await work.read(_find))


def _take_turn(tx: Tx, *, every: timedelta) -> bool:
    return tx.jobs.take("health", now=tx.now, every=every)


def _update_items(tx: Tx, *, found: Sequence[HealthFinding]) -> None:
    findings = {finding.key: finding for finding in found}
    for item in tx.inbox.open_where(kinds=[ItemKind.HEALTH]):
        if item.once not in findings:
            inbox.close(tx, item.dismissed(by=SYSTEM, at=tx.now, reason=NO_LONGER))
    for finding in findings.values():
        if not tx.inbox.was_asked(finding.key):
            _ask(tx, finding)


def _find(tx: Tx) -> list[HealthFinding]:
    return [
        *(silent_owner(**row) for row in tx.health.silent(now=tx.now)),
        *(crash_loop(**row) for row in tx.health.crashing()),
        *(tried_often(**row) for row in tx.health.tried_often()),
    ]


def _ask(tx: Tx, finding: HealthFinding) -> None:
    inbox.open_item(
        tx,
        kind=ItemKind.HEALTH,
        subject=finding.subject,
        body=finding.body,
        task_id=finding.task_id,
        agent_id=finding.agent_id,
        dedupe_key=finding.key,
    )
