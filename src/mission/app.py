"""The composition root: settings → database → events → gateway → transports, and the order of start and stop."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mission import tools
from mission.domain.agents.agent import AgentType
from mission.domain.errors import InvalidState, TransientError, Unauthenticated
from mission.domain.inbox.failure_report import RECENT
from mission.domain.permissions import Edit, PermissionPolicy
from mission.domain.runs.options import Limits
from mission.domain.timestamps import Clock, format_time
from mission.events.log import EventLog
from mission.gateway.agent_calls import AgentCalls
from mission.gateway.audit.audit_trail import AuditTrail
from mission.gateway.audit.masking import Masker
from mission.gateway.call import Ports
from mission.gateway.caller import TokenCheck
from mission.gateway.gateway import Gateway
from mission.gateway.heartbeats import HeartbeatRecorder
from mission.gateway.registry import Registry
from mission.gateway.retry import Retry
from mission.gateway.signal_intake import Signals
from mission.git.snapshot import Snapshots
from mission.git.worktrees.creation import WorktreeMaker
from mission.runtime.checking.free_ports import find_port_base
from mission.services.agents import access_tokens
from mission.services.agents.access_tokens import Bearer
from mission.services.agents.registration import LivenessSettings
from mission.services.repositories.working_trees import Trees
from mission.services.work import BackgroundWork
from mission.settings import Settings, describe
from mission.store.database import Database
from mission.store.open_database import open_backend
from mission.store.transaction import Tx

if TYPE_CHECKING:
    from mission.runtime.checking.check_host import LocalCheckHost
    from mission.runtime.checking.check_process import Checks
    from mission.runtime.client_setup.local_clients import LocalClients
    from mission.runtime.launching.launcher import AgentLauncher
    from mission.runtime.message_delivery import MessageDelivery
    from mission.services.checks.checker import Checker
    from mission.services.checks.ports import CheckPorts
    from mission.services.runs.context import RunContext
    from mission.services.runs.driver import RunDriver

log = logging.getLogger("mission")

TIDY_SECONDS = 600.0
HEALTH_SECONDS = 60.0
INDEX_SECONDS = 5.0
AGAIN_SECONDS = 5.0


class App:
    """Everything a transport needs, built once per process.

    What launches agents, runs checks and drives runs is imported and built when it is first used: a daemon needs it at
    once, a standalone server seldom.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        role: str,
        clock: Clock | None = None,
        tool_modules: Mapping[str, str] | None = None,
    ) -> None:
        """Build the application; with `tool_modules`, which says where each tool is, tools are imported when called."""
        self.settings = settings
        self.backend = open_backend(settings, role=role)
        clock = clock or self.backend.clock
        self.started_at = clock()
        self.liveness = LivenessSettings(
            heartbeat=timedelta(seconds=settings.heartbeat_seconds), lease=timedelta(seconds=settings.lease_seconds)
        )
        self.database = Database(self.backend, silence=self.liveness.silence, clock=clock)
        self.events = EventLog(self.database)
        self.trees = Trees(
            Snapshots(settings.snapshots_path),
            worktree_maker=_worktree_maker(settings),
            host_id=settings.host_id,
            find_ports=find_port_base,
        )
        self._masker = Masker(names=settings.mask_names, pattern=settings.mask_pattern, max_length=settings.audit_text)
        audit = AuditTrail(self.database, self._masker)
        heartbeats = HeartbeatRecorder(self.database, self.liveness)
        self._agent_calls = AgentCalls(self.database.clock)
        retry = Retry(pause=settings.retry_seconds)
        self._signals = Signals(self.database, audit=audit, heartbeats=heartbeats, retry=retry)
        self.gateway = Gateway(
            registry=Registry(tools, modules=tool_modules),
            database=self.database,
            audit=audit,
            heartbeats=heartbeats,
            agent_calls=self._agent_calls,
            signals=self._signals,
            retry=retry,
            ports=Ports(
                trees=self.trees,
                checks=lambda: self.checks,
                liveness=self.liveness,
                launcher=lambda: self.launcher,
                clients=lambda: self.clients,
                events=self.events,
                policy=_policy(settings),
                daily=_daily_limits(settings),
            ),
        )

    @cached_property
    def launcher(self) -> AgentLauncher:
        from mission.runtime.launching.launcher import AgentLauncher
        from mission.tools.tasks.load_context import preview_context

        return AgentLauncher(
            self.database,
            self.trees,
            signals=self._signals,
            agent_calls=self._agent_calls,
            context=preview_context,
            liveness=self.liveness,
            settings=self.settings,
        )

    @cached_property
    def clients(self) -> LocalClients:
        from mission.runtime.client_setup.local_clients import LocalClients

        return LocalClients(self.settings)

    @cached_property
    def message_delivery(self) -> MessageDelivery:
        from mission.runtime.message_delivery import MessageDelivery

        work = BackgroundWork(self.database)
        return MessageDelivery(self.launcher, work, self.events, host_id=self.settings.host_id)

    @cached_property
    def check_runner(self) -> Checks:
        from mission.runtime.checking.check_process import Checks

        return Checks(self.settings.checks_path, mask=self._masker.text)

    @cached_property
    def _check_host(self) -> LocalCheckHost:
        from mission.runtime.checking.check_host import LocalCheckHost

        return LocalCheckHost()

    @cached_property
    def checker(self) -> Checker:
        from mission.services.checks.check_place import CheckPlaces
        from mission.services.checks.checker import Checker

        work = BackgroundWork(self.database)
        return Checker(
            work,
            self.trees,
            self.check_runner,
            CheckPlaces(work, self.trees, self._check_host),
            self.events,
            lease=self.liveness.lease,
            excuses=self.settings.failed_before == "pass",
        )

    @cached_property
    def checks(self) -> CheckPorts:
        from mission.services.checks.gate import CheckGate
        from mission.services.checks.ports import CheckPorts
        from mission.services.runs.merging.submission import RunGate

        seconds = self.settings.check_wait_seconds
        gate = RunGate(CheckGate(self.checker, lease=self.liveness.lease, wait_seconds=seconds), self.run_context)
        return CheckPorts(gate=gate, checker=self.checker, runner=self.check_runner, host=self._check_host)

    @cached_property
    def run_context(self) -> RunContext:
        from mission.services.runs.context import RunContext

        settings = self.settings
        return RunContext(
            work=BackgroundWork(self.database),
            trees=self.trees,
            launcher=self.launcher,
            checker=self.checker,
            events=self.events,
            liveness=self.liveness,
            worktrees=settings.worktrees_path / "runs",
            agent_slots=settings.agent_slots,
            min_free_gb=settings.min_free_gb,
            daily=_daily_limits(settings),
            clock=self.database.clock,
        )

    @cached_property
    def run_driver(self) -> RunDriver:
        from mission.services.runs.driver import RunDriver

        return RunDriver(self.run_context)

    @asynccontextmanager
    async def running(self, *, periodic: bool) -> AsyncIterator[App]:
        """Run the application from opening the database to its last write; only a daemon does periodic work."""
        self.database.open()
        await self.events.open()
        jobs = [asyncio.create_task(job) for job in (*self._jobs(), *self._followers())] if periodic else []
        if periodic:
            await self.launcher.open()
            await self.message_delivery.open()
            await self.checker.open()
            await self.run_driver.open()
        try:
            yield self
        finally:
            for job in jobs:
                job.cancel()
            if periodic:
                await self.run_driver.close()
                await self.message_delivery.close()
                await self.launcher.close()
            await self.gateway.close()
            if self._has_built("checker"):
                await self.checker.close()
            if self._has_built("check_runner"):
                await self.check_runner.leave()
            await self.events.close()
            await self.trees.close()
            await self.database.close()

    def _has_built(self, part: str) -> bool:
        return part in vars(self)

    def tokens(self, operator: str) -> TokenCheck:
        """Return the check of access tokens, for the operator and for agents."""

        async def find(token: str) -> Bearer:
            try:
                return await self.database.read(access_tokens.bearer_of, token=token)
            except Unauthenticated as refused:
                if "agent_id" in refused.details:  # it was valid once: record that it is still used
                    self.gateway.note_revoked_token(refused)
                raise

        return TokenCheck(operator, find=find)

    async def health(self) -> dict[str, Any]:
        """Return what a bridge checks before it restarts an older daemon; null while the database is unreachable."""
        try:
            return {"executions": await self.database.read(_live_executions, host_id=self.settings.host_id)}
        except TransientError:
            return {"executions": None}

    async def status(self) -> dict[str, Any]:
        """Return the daemon's state and settings for its operator."""
        settings = self.settings
        return {
            **await self.health(),
            "internal_errors": await self.database.read(_internal_errors),
            "started_at": format_time(self.started_at),
            "host": settings.host_id,
            "events": self.events.last,
            "database": "PostgreSQL" if settings.database_url else "SQLite",
            "database_bytes": _size(settings.sqlite_path) if not settings.database_url else None,
            "free_bytes": shutil.disk_usage(settings.home).free,
            "settings_file": str(settings.file_path),
            "settings": describe(settings),
        }

    def _jobs(self) -> list[Coroutine[Any, Any, None]]:
        """Return the periodic jobs; the database decides which daemon runs them."""
        return [
            _every(TIDY_SECONDS, self._tidy),
            _every(HEALTH_SECONDS, self._look_after),
            _every(INDEX_SECONDS, self._index),
        ]

    def _followers(self) -> list[Coroutine[Any, Any, None]]:
        """Return the jobs that follow the event log and notify people."""
        from mission.domain.webhook import Webhook
        from mission.runtime import desktop_notifications
        from mission.services import webhooks
        from mission.transports.web.webhook_sender import post

        work, settings = BackgroundWork(self.database), self.settings
        followers = []
        if settings.webhook_url:
            wanted = [each.strip() for each in settings.webhook_events.split(",") if each.strip()]
            hook = Webhook(url=settings.webhook_url, secret=settings.webhook_secret, events=wanted)
            followers.append(_every(AGAIN_SECONDS, lambda: webhooks.follow(work, self.events, post, hook=hook)))
        if settings.desktop_notifications == "on":
            followers.append(_every(AGAIN_SECONDS, lambda: desktop_notifications.follow(work, self.events)))
        return followers

    async def _tidy(self) -> None:
        from mission.services.upkeep import retention

        keep = retention.Keep(
            events=_days(self.settings.keep_events_days),
            audit=_days(self.settings.keep_audit_days),
            audit_rows=self.settings.keep_audit_rows,
            observations=_days(self.settings.keep_observations_days),
        )
        await retention.tidy(BackgroundWork(self.database), keep=keep)
        await self.trees.prune(await self.database.read(_snapshots_in_use, host_id=self.settings.host_id))
        await self._forget_outputs()

    async def _forget_outputs(self) -> None:
        """Delete the output of checks that are gone or old; their rows keep its end."""
        from mission.services.checks import reading

        keep = _days(self.settings.keep_observations_days)
        before = self.database.clock() - keep if keep is not None else None
        stored = await asyncio.to_thread(self.check_runner.ended)
        for start in range(0, len(stored), 500):
            ids = stored[start : start + 500]
            for evidence_id in await self.database.read(reading.forgettable, ids=ids, before=before):
                await self.check_runner.forget(evidence_id)

    async def _index(self) -> None:
        from mission.services.search import index

        await index.catch_up(self.database)

    async def _look_after(self) -> None:
        from mission.services.upkeep import health

        await health.sweep(BackgroundWork(self.database))


async def _every(seconds: float, job: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run the job again and again, also after a failure."""
    while True:
        try:
            await job()
        except Exception:
            log.exception("periodic work failed")
        await asyncio.sleep(seconds)


def _worktree_maker(settings: Settings) -> WorktreeMaker:
    folder = settings.worktrees
    if folder and not Path(folder).is_absolute():
        raise InvalidState(f"worktrees: '{folder}' is not an absolute path", hint="Give the full path of a folder.")
    return WorktreeMaker(
        Path(folder) if folder else settings.worktrees_path,
        roots=[settings.worktrees_path],
        setup_seconds=settings.setup_seconds,
    )


def _daily_limits(settings: Settings) -> Limits:
    return Limits(
        usd=settings.daily_usd or None,
        tokens=settings.daily_tokens or None,
        minutes=settings.daily_minutes or None,
        launches=settings.daily_launches or None,
    )


def _policy(settings: Settings) -> PermissionPolicy:
    return PermissionPolicy(
        {AgentType(kind): Edit(**rules) for kind, rules in json.loads(settings.permissions or "{}").items()}
    )


def _days(number: float) -> timedelta | None:
    return timedelta(days=number) if number else None


def _snapshots_in_use(tx: Tx, *, host_id: str) -> list[Any]:
    checked = [each.identity["snapshot"] for each in tx.rounds.open_on_host(host_id) if each.identity is not None]
    return [*tx.tasks.snapshots_in_use(host_id=host_id), *checked]


def _size(path: Path) -> int:
    """Return the bytes of a database file, including its write-ahead log."""
    return sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*") if file.is_file())


def _internal_errors(tx: Tx) -> dict[str, Any] | None:
    """Return how often Mission Control itself failed lately, and the newest failure; None if it did not."""
    found = tx.audit.faults(since=tx.now - RECENT)
    if found is None:
        return None
    return {"total": found.total, "entry_id": found.newest, "tool": found.tool, "at": format_time(found.at)}


def _live_executions(tx: Tx, *, host_id: str) -> int:
    return tx.executions.count_live(host_id=host_id)
