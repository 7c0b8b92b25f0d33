"""Executions without a process: launch one on a task of a mission, and speak for its agent."""

from __future__ import annotations

from typing import Any

from mission.app import App
from mission.domain.executions.signals import Delivery, read_signal
from mission.services.executions import creation, ending, signals
from mission.services.executions import state as executions
from mission.services.executions.creation import CreatedExecution, NewExecution
from mission.services.executions.ending import ExecutionEnd
from mission.services.work import BackgroundWork
from tests.conftest import Front


class FakeExecutions:
    """Launches executions and speaks for their agents, without any process."""

    def __init__(self, app: App, call: Front) -> None:
        self.app = app
        self.call = call
        self.liveness = app.gateway._ports.liveness

    async def task(self, name: str = "Write the parser") -> str:
        mission = await self.call(
            "workflow_create", {"name": "Launch things", "source_type": "prompt", "source_content": "Build it"}
        )
        task = {"name": name, "description": f"do {name}", "sequence": 1, "depends_on": []}
        plan = {"summary": "s", "approach": "a", "tasks": [task]}
        await self.call("workflow_set_plan", {"id": mission["id"], "plan": plan})
        listed = await self.call("workflow_get", {"id": mission["id"], "include_tasks": True})
        return str(listed["tasks"][0]["id"])

    async def launch(
        self, task_id: str | None = None, *, delivery: Delivery = Delivery.MCP_TOOL, **wish: Any
    ) -> CreatedExecution:
        launch = NewExecution(
            task_id=task_id or await self.task(), adapter="command", runtime="custom", delivery=delivery, **wish
        )
        return await creation.create(
            BackgroundWork(self.app.database),
            self.app.trees,
            launch=launch,
            liveness=self.liveness,
        )

    async def start(self, execution_id: str) -> None:
        await self.app.database.write(executions.started, execution_id=execution_id, process={"pid": 1})

    async def signal(self, execution_id: str, event_id: str, type: str, **payload: Any) -> dict[str, Any]:
        execution = await self.get(execution_id)
        ack = await self.app.database.write(
            signals.observe,
            execution_id=execution_id,
            event_id=event_id,
            signal=read_signal(type, payload),
            delivery=execution.delivery,
        )
        return ack.as_dict()

    async def end(self, execution_id: str, status: str = "completed", **how: Any) -> Any:
        end = ExecutionEnd(status=executions.ExecutionStatus(status), **how)
        return await self.app.database.write(ending.ended, execution_id=execution_id, end=end, liveness=self.liveness)

    async def get(self, execution_id: str) -> Any:
        return await self.app.database.read(lambda tx: tx.executions.get(execution_id))

    async def task_now(self, task_id: str) -> dict[str, Any]:
        return await self.call("task_get", {"id": task_id})

    async def events(self, since: int) -> list[Any]:
        return await self.app.database.read(lambda tx: tx.events.since(since, limit=1_000))
