"""The transaction that store functions work with: queries per concept, the current moment, and its events."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from mission.domain.events import Event

if TYPE_CHECKING:
    from mission.store.agents.access_tokens import AgentTokens
    from mission.store.agents.agents import Agents
    from mission.store.agents.messages import Messages
    from mission.store.checks.definitions import CheckDefinitions
    from mission.store.checks.evidence import EvidenceRows
    from mission.store.checks.rounds import CheckRounds
    from mission.store.checks.tree_slots import TreeSlots
    from mission.store.executions.commands import Commands
    from mission.store.executions.executions import Executions
    from mission.store.executions.observations import Observations
    from mission.store.inbox.failure_reports import FailureReports
    from mission.store.inbox.health_findings import HealthFindings
    from mission.store.inbox.items import InboxItems
    from mission.store.logs.audit import Audit, CallKeys
    from mission.store.logs.events import EventRows
    from mission.store.logs.job_turns import JobTurns
    from mission.store.logs.webhooks import Webhooks
    from mission.store.missions.missions import Missions
    from mission.store.missions.phases import Phases
    from mission.store.missions.plans import Plans
    from mission.store.missions.task_counts import TaskCounts
    from mission.store.missions.templates import Templates
    from mission.store.runs.candidates import Candidates
    from mission.store.runs.reviews import Reviews
    from mission.store.runs.runs import Runs
    from mission.store.runs.view_rows import ViewRows
    from mission.store.tasks.claims import Claims
    from mission.store.tasks.journal import Journal
    from mission.store.tasks.nearby_tasks import NearbyTasks
    from mission.store.tasks.patches import Patches
    from mission.store.tasks.tasks import Tasks
    from mission.store.tasks.workspaces import Workspaces
    from mission.store.views.activity import Activities
    from mission.store.views.attention import AttentionViews
    from mission.store.views.costs import CostViews
    from mission.store.views.executions import ExecutionViews
    from mission.store.views.id_prefixes import IdPrefixes
    from mission.store.views.jump_targets import JumpTargets
    from mission.store.views.overview import Overviews
    from mission.store.views.search_index import SearchIndex
    from mission.store.views.search_sources import SearchSources
    from mission.store.views.workspaces import WorkspaceViews


class Tx:
    """One transaction. A function that uses it may be run again, so it does nothing but read, write and emit."""

    def __init__(self, connection: Connection, *, now: datetime, silence: timedelta) -> None:
        self.connection = connection
        self.now = now
        self.silence = silence
        self.emitted: list[Event] = []

    def emit(self, event: Event) -> None:
        """Emit an event; it is stored and published with the commit, or not at all."""
        if event.may_supersede:
            self.emitted = [earlier for earlier in self.emitted if not event.supersedes(earlier)]
        self.emitted.append(event)

    @cached_property
    def missions(self) -> Missions:
        from mission.store.missions.missions import Missions

        return Missions(self.connection)

    @cached_property
    def tokens(self) -> AgentTokens:
        from mission.store.agents.access_tokens import AgentTokens

        return AgentTokens(self.connection)

    @cached_property
    def phases(self) -> Phases:
        from mission.store.missions.phases import Phases

        return Phases(self.connection)

    @cached_property
    def tasks(self) -> Tasks:
        from mission.store.tasks.tasks import Tasks

        return Tasks(self.connection)

    @cached_property
    def attention(self) -> AttentionViews:
        from mission.store.views.attention import AttentionViews

        return AttentionViews(self.connection)

    @cached_property
    def costs(self) -> CostViews:
        from mission.store.views.costs import CostViews

        return CostViews(self.connection)

    @cached_property
    def patches(self) -> Patches:
        from mission.store.tasks.patches import Patches

        return Patches(self.connection)

    @cached_property
    def plans(self) -> Plans:
        from mission.store.missions.plans import Plans

        return Plans(self.connection)

    @cached_property
    def task_counts(self) -> TaskCounts:
        from mission.store.missions.task_counts import TaskCounts

        return TaskCounts(self.connection)

    @cached_property
    def workspace_views(self) -> WorkspaceViews:
        from mission.store.views.workspaces import WorkspaceViews

        return WorkspaceViews(self.connection)

    @cached_property
    def nearby_tasks(self) -> NearbyTasks:
        from mission.store.tasks.nearby_tasks import NearbyTasks

        return NearbyTasks(self.connection)

    @cached_property
    def search_sources(self) -> SearchSources:
        from mission.store.views.search_sources import SearchSources

        return SearchSources(self.connection)

    @cached_property
    def search(self) -> SearchIndex:
        from mission.store.views.search_index import SearchIndex

        return SearchIndex(self.connection)

    @cached_property
    def checks(self) -> CheckDefinitions:
        from mission.store.checks.definitions import CheckDefinitions

        return CheckDefinitions(self.connection)

    @cached_property
    def rounds(self) -> CheckRounds:
        from mission.store.checks.rounds import CheckRounds

        return CheckRounds(self.connection)

    @cached_property
    def evidence(self) -> EvidenceRows:
        from mission.store.checks.evidence import EvidenceRows

        return EvidenceRows(self.connection)

    @cached_property
    def runs(self) -> Runs:
        from mission.store.runs.runs import Runs

        return Runs(self.connection)

    @cached_property
    def run_views(self) -> ViewRows:
        from mission.store.runs.view_rows import ViewRows

        return ViewRows(self.connection)

    @cached_property
    def candidates(self) -> Candidates:
        from mission.store.runs.candidates import Candidates

        return Candidates(self.connection)

    @cached_property
    def reviews(self) -> Reviews:
        from mission.store.runs.reviews import Reviews

        return Reviews(self.connection)

    @cached_property
    def tree_slots(self) -> TreeSlots:
        from mission.store.checks.tree_slots import TreeSlots

        return TreeSlots(self.connection)

    @cached_property
    def claims(self) -> Claims:
        from mission.store.tasks.claims import Claims

        return Claims(self.connection)

    @cached_property
    def workspaces(self) -> Workspaces:
        from mission.store.tasks.workspaces import Workspaces

        return Workspaces(self.connection)

    @cached_property
    def templates(self) -> Templates:
        from mission.store.missions.templates import Templates

        return Templates(self.connection)

    @cached_property
    def journal(self) -> Journal:
        from mission.store.tasks.journal import Journal

        return Journal(self.connection)

    @cached_property
    def inbox(self) -> InboxItems:
        from mission.store.inbox.items import InboxItems

        return InboxItems(self.connection)

    @cached_property
    def health(self) -> HealthFindings:
        from mission.store.inbox.health_findings import HealthFindings

        return HealthFindings(self.connection)

    @cached_property
    def webhooks(self) -> Webhooks:
        from mission.store.logs.webhooks import Webhooks

        return Webhooks(self.connection)

    @cached_property
    def incidents(self) -> FailureReports:
        from mission.store.inbox.failure_reports import FailureReports

        return FailureReports(self.connection)

    @cached_property
    def agents(self) -> Agents:
        from mission.store.agents.agents import Agents

        return Agents(self.connection)

    @cached_property
    def messages(self) -> Messages:
        from mission.store.agents.messages import Messages

        return Messages(self.connection)

    @cached_property
    def commands(self) -> Commands:
        from mission.store.executions.commands import Commands

        return Commands(self.connection)

    @cached_property
    def executions(self) -> Executions:
        from mission.store.executions.executions import Executions

        return Executions(self.connection)

    @cached_property
    def execution_views(self) -> ExecutionViews:
        from mission.store.views.executions import ExecutionViews

        return ExecutionViews(self.connection)

    @cached_property
    def observations(self) -> Observations:
        from mission.store.executions.observations import Observations

        return Observations(self.connection)

    @cached_property
    def events(self) -> EventRows:
        from mission.store.logs.events import EventRows

        return EventRows(self.connection)

    @cached_property
    def audit(self) -> Audit:
        from mission.store.logs.audit import Audit

        return Audit(self.connection)

    @cached_property
    def calls(self) -> CallKeys:
        from mission.store.logs.audit import CallKeys

        return CallKeys(self.connection)

    @cached_property
    def overviews(self) -> Overviews:
        from mission.store.views.overview import Overviews

        return Overviews(self.connection)

    @cached_property
    def id_prefixes(self) -> IdPrefixes:
        from mission.store.views.id_prefixes import IdPrefixes

        return IdPrefixes(self.connection)

    @cached_property
    def jump_targets(self) -> JumpTargets:
        from mission.store.views.jump_targets import JumpTargets

        return JumpTargets(self.connection)

    @cached_property
    def activity(self) -> Activities:
        from mission.store.views.activity import Activities

        return Activities(self.connection)

    @cached_property
    def jobs(self) -> JobTurns:
        from mission.store.logs.job_turns import JobTurns

        return JobTurns(self.connection)
