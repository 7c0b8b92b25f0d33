"""Heartbeats: any call of an agent counts as one; no call waits until it is written."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta

from mission.services.agents import registration as agents
from mission.services.agents.registration import AgentWithPresence, LivenessSettings
from mission.store.database import Database

log = logging.getLogger(__name__)

MIN_INTERVAL = timedelta(seconds=10)
MAX_RECORDED = 1_000
"""Above this many agents, those without a recent call are dropped."""


class HeartbeatRecorder:
    """Records which agent called, with the next group of writes, at most every few seconds per agent."""

    def __init__(self, database: Database, liveness: LivenessSettings) -> None:
        self._database = database
        self._liveness = liveness
        self._every = min(MIN_INTERVAL, liveness.lease / 3, liveness.heartbeat / 3)
        self._recorded: dict[str, datetime] = {}
        self._writing: set[asyncio.Future[AgentWithPresence]] = set()

    def note(self, agent_id: str) -> None:
        now = self._database.clock()
        last = self._recorded.get(agent_id)
        if last is not None and now - last < self._every:
            return
        if len(self._recorded) >= MAX_RECORDED:
            self._recorded = {id: at for id, at in self._recorded.items() if now - at < self._every}
        self._recorded[agent_id] = now
        writing = self._database.submit(
            agents.heartbeat, agent_id=agent_id, current_task_id=None, status=None, liveness=self._liveness
        )
        self._writing.add(writing)
        writing.add_done_callback(self._written)

    async def settle(self) -> None:
        """Wait until everything noted is written."""
        if self._writing:
            await asyncio.wait(self._writing)

    def _written(self, writing: asyncio.Future[AgentWithPresence]) -> None:
        self._writing.discard(writing)
        if not writing.cancelled() and writing.exception() is not None:
            log.warning("a heartbeat could not be written", exc_info=writing.exception())
