"""Approval: a person decides whether commands that an agent proposed as checks may run."""

from __future__ import annotations

from mission.domain.inbox.item import APPROVE, InboxItem, ItemKind
from mission.store.transaction import Tx


def answered(tx: Tx, item: InboxItem) -> None:
    """Apply the answer to proposed checks: approved ones may run from now on; the others are dropped.

    Rounds that wait for them see the decision at their next step.
    """
    if item.kind is not ItemKind.CHECKS:
        return
    if item.chosen == APPROVE:
        tx.checks.approve(item.id)
    else:
        tx.checks.drop_refused(item.id)
