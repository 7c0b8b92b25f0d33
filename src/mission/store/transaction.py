"""What a transaction function works with: queries per concept, the moment, and the events it tells."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import cached_property

from sqlalchemy import Connection

from mission.domain.events import Event
from mission.store.agents import Agents
from mission.store.audit import Audit, Calls
from mission.store.claims import Claims
from mission.store.course import Courses
from mission.store.events import Events
from mission.store.executions import Executions
from mission.store.health import Health
from mission.store.inbox import Inbox
from mission.store.incidents import Incidents
from mission.store.jobs import Jobs
from mission.store.journal import Journal
from mission.store.messages import Messages
from mission.store.missions import Missions
from mission.store.observations import Observations
from mission.store.overview import Overviews
from mission.store.patches import Patches
from mission.store.phases import Phases
from mission.store.plans import Plans
from mission.store.runs import Runs
from mission.store.searching import SearchIndex
from mission.store.sources import Sources
from mission.store.surroundings import Surroundings
from mission.store.tallies import Tallies
from mission.store.tasks import Tasks
from mission.store.templates import Templates
from mission.store.tokens import AgentTokens
from mission.store.webhooks import Webhooks
from mission.store.workspaces import Workspaces


class Tx:
    """One transaction. A function that uses it may be run again, so it does nothing but read, write and emit."""

    def __init__(self, connection: Connection, *, now: datetime, silence: timedelta) -> None:
        self.connection = connection
        self.now = now
        self.silence = silence
        self.emitted: list[Event] = []

    def emit(self, event: Event) -> None:
        """Tell what happened; it is stored and published with the commit, or not at all."""
        if event.may_supersede:
            self.emitted = [earlier for earlier in self.emitted if not event.supersedes(earlier)]
        self.emitted.append(event)

    @cached_property
    def missions(self) -> Missions:
        return Missions(self.connection)

    @cached_property
    def tokens(self) -> AgentTokens:
        return AgentTokens(self.connection)

    @cached_property
    def phases(self) -> Phases:
        return Phases(self.connection)

    @cached_property
    def tasks(self) -> Tasks:
        return Tasks(self.connection)

    @cached_property
    def patches(self) -> Patches:
        return Patches(self.connection)

    @cached_property
    def plans(self) -> Plans:
        return Plans(self.connection)

    @cached_property
    def tallies(self) -> Tallies:
        return Tallies(self.connection)

    @cached_property
    def surroundings(self) -> Surroundings:
        return Surroundings(self.connection)

    @cached_property
    def sources(self) -> Sources:
        return Sources(self.connection)

    @cached_property
    def search(self) -> SearchIndex:
        return SearchIndex(self.connection)

    @cached_property
    def claims(self) -> Claims:
        return Claims(self.connection)

    @cached_property
    def workspaces(self) -> Workspaces:
        return Workspaces(self.connection)

    @cached_property
    def templates(self) -> Templates:
        return Templates(self.connection)

    @cached_property
    def journal(self) -> Journal:
        return Journal(self.connection)

    @cached_property
    def inbox(self) -> Inbox:
        return Inbox(self.connection)

    @cached_property
    def health(self) -> Health:
        return Health(self.connection)

    @cached_property
    def webhooks(self) -> Webhooks:
        return Webhooks(self.connection)

    @cached_property
    def incidents(self) -> Incidents:
        return Incidents(self.connection)

    @cached_property
    def agents(self) -> Agents:
        return Agents(self.connection)

    @cached_property
    def messages(self) -> Messages:
        return Messages(self.connection)

    @cached_property
    def executions(self) -> Executions:
        return Executions(self.connection)

    @cached_property
    def runs(self) -> Runs:
        return Runs(self.connection)

    @cached_property
    def observations(self) -> Observations:
        return Observations(self.connection)

    @cached_property
    def events(self) -> Events:
        return Events(self.connection)

    @cached_property
    def audit(self) -> Audit:
        return Audit(self.connection)

    @cached_property
    def calls(self) -> Calls:
        return Calls(self.connection)

    @cached_property
    def overviews(self) -> Overviews:
        return Overviews(self.connection)

    @cached_property
    def courses(self) -> Courses:
        return Courses(self.connection)

    @cached_property
    def jobs(self) -> Jobs:
        return Jobs(self.connection)
