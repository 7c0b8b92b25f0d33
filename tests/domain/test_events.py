"""Events: each carries a type, a mission, the agents it concerns and plain data."""

from __future__ import annotations

import json

import pytest

from mission.domain import events
from mission.domain.agents.agent import Presence
from mission.domain.checks.evidence import EvidenceState
from mission.domain.executions.command import CommandKind, ExecutionCommand
from mission.domain.missions.mission import Family
from mission.domain.missions.phase import Phase
from mission.domain.missions.repository import Repository
from mission.domain.missions.template import Template
from mission.domain.tasks.journal import EntryKind
from mission.domain.tasks.moves import Cause
from tests.domain.checks.rounds import a_row, defined
from tests.domain.runs.test_candidate import CANDIDATE
from tests.domain.runs.test_run import RUN
from tests.domain.samples import NOW, agent, entry, execution, item, message, mission, observation, task, workspace

PHASE = Phase(id="p_1", mission_id="m_1", number=1, name="Build", created_at=NOW)
REPOSITORY = Repository(id="r_1", host_id="here", path="/r", name="r", created_at=NOW)
TEMPLATE = Template(id="tpl_1", name="T", description=None, tasks=(), variables=(), created_at=NOW)
SENT = ExecutionCommand(id="msg_9", execution_id="x_1", kind=CommandKind.TEXT, text="hi", created_at=NOW)
OBSERVED = observation()

EVIDENCE = a_row(defined("make test"), EvidenceState.QUEUED)
CASES = [
    (events.MissionCreated(mission=mission()), "mission:created", "m_1", []),
    (events.MissionUpdated(mission=mission(family=Family.WORKFLOW)), "workflow:updated", "m_1", []),
    (events.MissionDeleted(mission=mission()), "mission:deleted", "m_1", []),
    (events.PhaseCreated(phase=PHASE), "phase:created", "m_1", []),
    (events.PhaseUpdated(phase=PHASE), "phase:updated", "m_1", []),
    (events.TaskCreated(task=task()), "task:created", "m_1", []),
    (events.TaskUpdated(task=task(owner_id="a_7"), cause=Cause.CLAIMED), "task:updated", "m_1", ["a_7"]),
    (events.WorkspaceCreated(workspace=workspace()), "workspace:created", "m_1", []),
    (events.WorkspaceUpdated(workspace=workspace()), "workspace:updated", "m_1", []),
    (events.EntryCreated(entry=entry(EntryKind.DECISION, author="a_1")), "decision:created", "m_1", ["a_1"]),
    (events.EntryCreated(entry=entry(EntryKind.PROGRESS)), "checkpoint:created", "m_1", []),
    (events.AgentCreated(agent=agent(), presence=Presence.ONLINE), "agent:created", None, ["a_1"]),
    (events.AgentUpdated(agent=agent(), presence=Presence.OFFLINE), "agent:updated", None, ["a_1"]),
    (events.QueueItemCreated(item=item(mission_id="m_1", agent_id="a_1")), "queue:created", "m_1", ["a_1"]),
    (events.QueueItemUpdated(item=item()), "queue:updated", None, []),
    (events.MessageCreated(message=message(mission_id="m_1")), "message:created", "m_1", ["a_2", "a_1"]),
    (events.MailSent(message=message()), "mail.sent", None, ["a_2", "a_1"]),
    (events.ExecutionCreated(execution=execution()), "execution:created", "m_1", ["a_1"]),
    (events.ExecutionUpdated(execution=execution()), "execution:updated", "m_1", ["a_1"]),
    (events.ObservationCreated(execution=execution(), observation=OBSERVED), "observation:created", "m_1", ["a_1"]),
    (events.EvidenceCreated(evidence=EVIDENCE), "evidence:created", "m_0000000001", []),
    (events.EvidenceUpdated(evidence=EVIDENCE), "evidence:updated", "m_0000000001", []),
    (events.RunCreated(run=RUN), "run:created", RUN.mission_id, []),
    (events.RunUpdated(run=RUN), "run:updated", RUN.mission_id, []),
    (events.RunFinished(run=RUN), "run:finished", RUN.mission_id, []),
    (events.CandidateCreated(candidate=CANDIDATE), "candidate:created", CANDIDATE.mission_id, []),
    (events.CandidateUpdated(candidate=CANDIDATE), "candidate:updated", CANDIDATE.mission_id, []),
    (events.TemplateCreated(template=TEMPLATE), "template:created", None, []),
    (events.RepositoryCreated(repository=REPOSITORY), "repository:created", None, []),
]


@pytest.mark.parametrize(("event", "type", "mission_id", "agent_ids"), CASES, ids=[case[1] for case in CASES])
def test_an_event_names_its_type_its_mission_and_its_agents(event, type, mission_id, agent_ids):
    assert (event.type, event.mission_id, list(event.agent_ids)) == (type, mission_id, agent_ids)
    assert json.loads(json.dumps(event.data())) == event.data()


def test_every_event_is_looked_at_here():
    public = {
        each
        for name, each in vars(events).items()
        if isinstance(each, type) and issubclass(each, events.Event) and not name.startswith("_")
    }

    assert {type(event) for event, *_ in CASES} == public - {events.Event}


def test_the_last_update_of_a_mission_replaces_the_ones_before_it():
    first, last = events.MissionUpdated(mission=mission()), events.MissionUpdated(mission=mission(name="New"))

    assert last.supersedes(first)
    assert not last.supersedes(events.MissionUpdated(mission=mission(id="m_2")))
    assert not last.supersedes(events.MissionUpdated(mission=mission(), tasks_created=3))
    assert not last.supersedes(events.MissionCreated(mission=mission()))
    moved = events.TaskUpdated(task=task(), cause=Cause.CLAIMED)
    assert not moved.supersedes(moved)


def test_only_events_that_replace_others_say_so():
    assert [type for event, type, *_ in CASES if event.may_supersede] == ["workflow:updated", "run:updated"]


def test_a_plan_tells_how_many_tasks_it_made():
    assert events.MissionUpdated(mission=mission(), tasks_created=3).data()["tasks_created"] == 3
    assert "tasks_created" not in events.MissionUpdated(mission=mission()).data()


@pytest.mark.parametrize(("recipient", "to", "for_human"), [("a_2", "a_2", False), ("human", None, True)])
def test_a_mail_says_whether_it_is_for_the_person(recipient, to, for_human):
    sent = events.MailSent(message=message(recipient_id=recipient, subject="Keys"))

    assert sent.data() == {"mailId": "msg_1", "toAgentId": to, "isForHuman": for_human, "subject": "Keys"}


def test_an_execution_shows_the_message_it_got():
    assert events.ExecutionUpdated(execution=execution(), message=SENT).data()["message"] == SENT.record()
    assert "message" not in events.ExecutionUpdated(execution=execution()).data()


def test_an_observation_names_the_task_and_the_agent_of_its_execution():
    shown = events.ObservationCreated(execution=execution(), observation=OBSERVED).data()

    assert (shown["id"], shown["task_id"], shown["agent_id"]) == ("obs_1", "t_1", "a_1")
