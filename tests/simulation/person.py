"""The person of a simulation: answers what is asked, sooner or later, and does what people do meanwhile."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from mission.domain.errors import MissionError
from mission.domain.inbox.item import InboxItem, ItemKind
from mission.services.answers import answering
from mission.services.work import BackgroundWork
from mission.store.database import Database
from mission.store.transaction import Tx
from tests.simulation.daemon import LIVENESS
from tests.simulation.ports.launching import CLIENTS
from tests.simulation.ports.memory_trees import MemoryTrees

NAME = "operator"
PATIENCE = 8
"""After so many answers a person no longer tries again, but skips and ends."""
TRYING = ("retry", "retry_hint")


class Person:
    """Looks at the inbox now and then."""

    def __init__(
        self, database: Database, trees: MemoryTrees, *, mission_id: str, rng: random.Random, delay: float, judge: Any
    ) -> None:
        self._work = BackgroundWork(database)
        self._trees = trees
        self._mission_id = mission_id
        self._rng = rng
        self._delay = delay
        self._judge = judge
        self.answers = 0
        self.waited = 0.0
        """Seconds in which something waited for an answer."""

    async def live(self) -> None:
        while True:
            before = asyncio.get_running_loop().time()
            await asyncio.sleep(self._rng.uniform(0.5, self._delay))
            items = await self._work.read(_open, mission_id=self._mission_id)
            if items:
                self.waited += asyncio.get_running_loop().time() - before
            for item in items:
                if item.choices or item.kind in (ItemKind.QUESTION, ItemKind.BLOCKER):
                    await self._answer(item)

    async def _answer(self, item: InboxItem) -> None:
        choice, text = self._choose(item)
        self.answers += 1
        try:
            await answering.answer(
                self._work,
                self._trees,
                item_id=item.id,
                text=text,
                choice=choice,
                by=NAME,
                lease=LIVENESS.lease,
                clients=CLIENTS,
            )
        except MissionError:
            return  # it was withdrawn at the same time

    def _choose(self, item: InboxItem) -> tuple[int | None, str]:
        values = [str(each.get("value") or each.get("label")) for each in item.choices]
        if item.kind is ItemKind.REVIEW:
            accepts = self._judge(item.task_id) or self.answers > PATIENCE
            return (1, "") if accepts else (2, "It is not done.")
        if not values:
            return None, "Go left."
        wanted = [value for value in values if value != "stop" or self._rng.random() < 0.1]
        if self.answers > PATIENCE:
            wanted = [value for value in wanted if value not in TRYING] or [values[-1]]
        value = self._rng.choice(wanted or values)
        number = values.index(value) + 1
        return number, {"retry_hint": "Try harder.", "raise": ""}.get(value, "") or self._words(item, number)

    def _words(self, item: InboxItem, number: int) -> str:
        manual = item.choices[number - 1].get("kind") == "manual"
        return "1000usd" if manual and "budget" in item.subject else "Do it right." if manual else ""


def _open(tx: Tx, *, mission_id: str) -> list[InboxItem]:
    return tx.inbox.open_where(mission_id=mission_id)
