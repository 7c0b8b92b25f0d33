"""Follows one running execution: reads its output, records its signals and its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from mission.domain.executions.execution import Execution, ExecutionStatus, Mode
from mission.domain.executions.observation import PERMISSION_DENIED, AckStatus, Origin
from mission.domain.executions.signals import Delivery
from mission.gateway.signal_intake import Signals
from mission.runtime.adapters import client_events
from mission.runtime.adapters.launch_adapter import SIGNALS, LaunchAdapter
from mission.runtime.running.durable_write import pause, write_until_stored
from mission.runtime.running.markers import Diagnostic, Marker
from mission.runtime.running.output_reader import OutputFinding, OutputReader
from mission.runtime.running.runner_process import Chunk, Exit, Process
from mission.runtime.running.screen import Screen
from mission.runtime.running.tool_calls import ToolCalls, calls_shown
from mission.services.agents.registration import LivenessSettings
from mission.services.executions import ending
from mission.services.executions import signals as observations
from mission.services.executions import state as executions
from mission.services.executions.ending import ExecutionEnd
from mission.services.work import BackgroundWork
from mission.store.database import Database

log = logging.getLogger(__name__)

Result = TypeVar("Result")

MAX_DIAGNOSTICS = 100
MAX_REASON_LENGTH = 500
CONNECT_SECONDS = 60.0
"""Time after which a client that has not connected to its MCP endpoint is reported."""
MISSION_ENDED = "mission-ended"
STOPPED_BY_RUN = "run: "
"""How the reason of a stop begins that a run asked for; the words follow."""
NEVER_CONNECTED = f"it never connected to {SIGNALS}"
LIMITS = {
    "time-limit": "stopped: it exceeded its time limit",
    "output-limit": "stopped: it exceeded its output limit",
    "folder-gone": "stopped: its folder in MISSION_HOME was removed",
    "runner-stopped": "stopped: its runner was terminated",
    "lost": "its process disappeared, and its exit status is unknown",
}


class Follower:
    """Follows one execution from its start, or from where an earlier daemon left it, to its end."""

    def __init__(
        self,
        execution: Execution,
        launch: LaunchAdapter,
        process: Process,
        *,
        database: Database,
        signals: Signals,
        liveness: LivenessSettings,
        screen: Screen,
        ended: Callable[[Execution], Awaitable[None]],
        reattached: bool = False,
    ) -> None:
        self.execution = execution
        self.launch = launch
        self.process = process
        self.screen = screen
        self._work = BackgroundWork(database)
        self._clock = database.clock
        self._signals = signals
        self._liveness = liveness
        self._ended = ended
        headless = execution.mode is Mode.HEADLESS
        self._needs_connection = headless and launch.read is not None
        self._markers = execution.delivery is Delivery.STDOUT_MARKER
        self.has_connected = self._markers or reattached  # to an earlier daemon, for all we know
        self._output = OutputReader(
            execution.id,
            read=launch.read if headless else None,
            markers=self._markers and (headless or launch.read is None),
        )
        self.tool_calls = self._calls_shown() if headless and reattached else ToolCalls()
        self._read_to = 0
        self._diagnostics = 0
        self._failure: str | None = None
        self._task: asyncio.Task[None] | None = None

    def _calls_shown(self) -> ToolCalls:
        """Return the tool calls that were open when an earlier daemon left the client."""
        if self.launch.read is None:
            return ToolCalls()
        return calls_shown(self.screen.text, self.launch.read, at=self.screen.shown_at or self._clock())

    def start(self) -> None:
        self._task = asyncio.create_task(self._run(), name=f"follow {self.execution.id}")

    async def wait(self) -> None:
        """Return once the end of the execution is recorded."""
        if self._task is not None:
            await asyncio.shield(self._task)

    async def leave(self) -> None:
        """Detach from a program that keeps running; the next daemon reattaches."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self.process.leave()
        self.screen.close()

    async def _run(self) -> None:
        watch = asyncio.create_task(self._watch_connection())
        try:
            while not isinstance(event := await self.process.read(), Exit):
                await self._take(event)
            await self._record(self._output.end())
        finally:
            watch.cancel()
        await self._settle(event)

    async def _watch_connection(self) -> None:
        """Report a client that never connected; not every client reports that it cannot reach a server."""
        await asyncio.sleep(CONNECT_SECONDS)
        if not self.has_connected:
            await self._missed(f"it did not connect to {SIGNALS} within {CONNECT_SECONDS:.0f} seconds")

    async def _missed(self, reason: str) -> None:
        await self._diagnose("not-connected", "mcp-not-connected", {"server": SIGNALS, "reason": reason})

    async def _write(self, function: Callable[..., Result], **arguments: Any) -> Result:
        return await write_until_stored(self._work, function, execution_id=self.execution.id, **arguments)

    async def _take(self, chunk: Chunk) -> None:
        if chunk.end <= self._read_to:
            return  # repeated over a new connection
        self._read_to = chunk.end
        self.screen.show(chunk.data, stream=chunk.stream, at=self._clock())
        await self._record(self._output.feed(chunk))
        if (end := self._output.dealt_with()) is not None:
            self.process.take(end)

    async def _record(self, findings: list[OutputFinding]) -> None:
        for finding in findings:
            try:
                await self._note(finding.key, finding.what)
            except Exception:  # one bad line must not end the reading
                log.exception("execution %s: could not record %s", self.execution.id, finding.key)

    async def _note(self, key: str, what: Marker | Diagnostic | client_events.ClientEvent) -> None:
        match what:
            case Marker():
                await self._observe(key, what)
            case Diagnostic():
                await self._diagnose(key, "marker", {"reason": what.reason, "line": what.excerpt})
            case client_events.Session():
                await self._write(executions.record_usage, session_id=what.id)
            case client_events.Usage():
                await self._write(executions.record_usage, usage=what.figures)
            case client_events.Denied():
                denied = {"tool": what.tool, "detail": what.detail}
                await self._diagnose(key, PERMISSION_DENIED, denied, origin=Origin.PROVIDER)
            case client_events.ToolStarted() | client_events.ToolEnded():
                self.tool_calls.note(what, at=self._clock())
            case client_events.ServerState():
                await self._server(key, what)
            case client_events.Failed():
                self._failure = what.reason[:MAX_REASON_LENGTH]
                await self._diagnose(key, "failed", {"reason": self._failure}, origin=Origin.PROVIDER)

    async def _observe(self, key: str, marker: Marker) -> None:
        payload = {name: value for name, value in marker.signal.items() if name != "type"}
        kind, delivery = marker.signal["type"], Delivery.STDOUT_MARKER
        while (
            ack := await self._signals.deliver(self.execution.id, kind, marker.event_id, payload, delivery=delivery)
        ).is_passing:
            await pause()  # printed output cannot be requested again
        if ack.status is AckStatus.REJECTED:
            await self._diagnose(key, "marker", {"reason": ack.reason or "rejected", "event_id": ack.event_id})

    async def _server(self, key: str, state: client_events.ServerState) -> None:
        if not state.failed:
            return
        detail = {"server": state.name, "error": state.error[:MAX_REASON_LENGTH]}
        await self._diagnose(key, "mcp-server-failed", detail, origin=Origin.PROVIDER)
        if state.name == SIGNALS and self.execution.delivery is Delivery.MCP_TOOL:
            self._failure = f"the client could not reach {SIGNALS}: {state.error}"[:MAX_REASON_LENGTH]
            self.process.stop("not-provisioned")

    async def _diagnose(
        self, key: str, type: str, payload: Mapping[str, Any], *, origin: Origin = Origin.TERMINAL
    ) -> None:
        """Record a problem, up to a limit per execution."""
        self._diagnostics += 1
        if self._diagnostics > MAX_DIAGNOSTICS:
            return
        if self._diagnostics == MAX_DIAGNOSTICS:
            key, type, payload = (
                "diagnostics:full",
                "diagnostics-full",
                {"reason": "further diagnostics are not recorded"},
            )
        await self._write(observations.note, origin=origin, type=type, payload=payload, key=key)

    async def _settle(self, exit: Exit) -> None:
        """Record the end, revoke access and clean up, in this order, so that a crash in between is noticed."""
        if exit.left_over:
            left = {"reason": f"processes it left behind, now terminated: {exit.left_over}"}
            await self._diagnose("left-behind", "left-behind", left)
        if exit.missing:
            missing = {"reason": f"pieces of output missing from the transcript: {exit.missing}"}
            await self._diagnose("transcript", "transcript-incomplete", missing)
        if not self.has_connected and exit.code is not None:
            await self._missed(NEVER_CONNECTED)
        end = self._end(exit)
        ended = await self._write(ending.ended, end=end, liveness=self._liveness)
        log.info("execution %s ended: %s%s", ended.id, ended.status, f" ({ended.reason})" if ended.reason else "")
        await self.process.release()
        self.screen.close()
        self.execution = ended
        await self._ended(ended)

    def _end(self, exit: Exit) -> ExecutionEnd:
        status, reason = self._verdict(exit)
        return ExecutionEnd(status=status, exit_code=exit.code, reason=reason[:MAX_REASON_LENGTH] if reason else None)

    def _verdict(self, exit: Exit) -> tuple[ExecutionStatus, str | None]:
        if exit.reason == "lost":
            return ExecutionStatus.LOST, LIMITS["lost"]
        if exit.reason == "stopped":
            return ExecutionStatus.STOPPED, "stopped by the operator"
        if exit.reason is not None and exit.reason.startswith(STOPPED_BY_RUN):
            return ExecutionStatus.STOPPED, exit.reason.removeprefix(STOPPED_BY_RUN)
        if exit.reason == MISSION_ENDED:
            return ExecutionStatus.STOPPED, "stopped because its mission ended"
        if exit.reason == "not-started":
            return ExecutionStatus.FAILED, f"could not start the program: {exit.error}"
        if exit.reason in LIMITS:
            return ExecutionStatus.FAILED, LIMITS[exit.reason]
        if self._failure is not None:
            return ExecutionStatus.FAILED, self._failure
        if exit.code == 0 and not self.has_connected and self._needs_connection:
            return ExecutionStatus.FAILED, NEVER_CONNECTED
        if exit.code == 0:
            return ExecutionStatus.COMPLETED, None
        how = f"exit code {exit.code}" if exit.signal is None else f"killed by {exit.signal}"
        last = self._output.errors.strip().splitlines()[-1:]
        return ExecutionStatus.FAILED, ": ".join([how, *last])
