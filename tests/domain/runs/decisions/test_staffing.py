"""Who works on what."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mission.domain.runs.controller import next_steps
from mission.domain.runs.decisions import staffing
from mission.domain.runs.options import AgentMix, Overlap
from mission.domain.runs.steps import Ask, Launch, Withdraw
from mission.domain.runs.view import ClientView, MachineView
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import NOW, a_candidate, a_run, a_task, a_view, ago, has_ended, is_live, of_kind


def launched(*tasks, **values):
    """Return the task and the client that is launched next."""
    view = a_view(*tasks, **values)
    steps = of_kind(next_steps(view).steps, Launch)
    assert len(steps) <= 1
    return (steps[0].task_id, view.run.wanted.agents[steps[0].agent].client) if steps else None


def working(number: int, **values):
    return a_task(number, status=TaskStatus.IN_PROGRESS, live=is_live(id=f"x_{number}"), **values)


def test_a_ready_task_gets_an_agent_and_one_that_waits_for_others_does_not():
    assert launched(a_task(1, depends_on=["t_2"]), a_task(2)) == ("t_2", "claude-code")
    assert launched(a_task(1, depends_on=["t_2"]), a_task(2, status=TaskStatus.SKIPPED)) == ("t_1", "claude-code")


def test_started_tasks_come_before_new_ones_and_then_the_order_of_the_plan_counts():
    assert launched(a_task(2), a_task(1)) == ("t_1", "claude-code")
    assert launched(a_task(1), a_task(2, has_been_started=True, ended=has_ended(counts=False))) == (
        "t_2",
        "claude-code",
    )


def test_the_client_with_the_most_room_is_taken():
    assert launched(a_task(1), working(2)) == ("t_1", "codex")


def test_no_more_agents_of_a_client_work_than_the_mix_says():
    run = a_run(agents=[AgentMix(client="codex", count=1)])
    assert launched(a_task(1), working(2, requires=()), run=run) == ("t_1", "codex")
    busy = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live(client="codex"))
    assert launched(a_task(1), busy, run=run) is None


def test_no_more_agents_work_than_max_parallel():
    assert launched(a_task(1), working(2), run=a_run(max_parallel=1)) is None
    assert launched(a_task(1), working(2), run=a_run(max_parallel=2)) is not None


def test_tasks_under_review_do_not_count_as_work():
    reported = a_task(2, status=TaskStatus.REVIEW, live=is_live(reported_at=ago(seconds=5)))
    assert launched(a_task(1), reported, run=a_run(max_parallel=1), candidates=[a_candidate(2)]) is not None


def test_launches_that_have_no_row_yet_count():
    assert launched(a_task(1), a_task(2), run=a_run(max_parallel=1), launching={"t_2": "codex"}) is None
    assert launched(a_task(1), launching={"t_1": "codex"}) is None


def test_no_more_agents_run_than_the_machine_has_slots_for():
    assert launched(a_task(1), machine=MachineView(slots=2, busy=2)) is None
    assert launched(a_task(1), machine=MachineView(slots=2, busy=1)) is not None


def test_launches_are_staggered():
    machine = MachineView(slots=5, last_launch_at=NOW)
    decision = next_steps(a_view(a_task(1), machine=machine))
    assert of_kind(decision.steps, Launch) == []
    assert decision.look_again_at == NOW + staffing.STAGGER
    assert launched(a_task(1), machine=MachineView(slots=5, last_launch_at=NOW - timedelta(seconds=1))) is not None


def test_without_disk_space_nothing_is_launched_and_a_person_is_told_once():
    decision = next_steps(a_view(a_task(1), machine=MachineView(slots=5, has_disk=False)))
    assert [each.key for each in of_kind(decision.steps, Ask)] == ["disk"]
    assert of_kind(decision.steps, Launch) == []
    again = next_steps(a_view(a_task(1), items={"disk": "q_1"}))
    assert of_kind(again.steps, Withdraw)[0].key == "disk"


def test_a_task_gets_only_an_agent_with_the_required_capabilities():
    run = a_run(agents=[AgentMix(client="codex"), AgentMix(client="claude-code", capabilities=["web"])])
    assert launched(a_task(1, requires=["web"]), run=run) == ("t_1", "claude-code")


def test_a_task_for_one_client_gets_that_client():
    assert launched(a_task(1, client="codex")) == ("t_1", "codex")


@pytest.mark.parametrize("more", [{"client": "pi"}, {"requires": ["gpu"]}])
def test_a_task_that_no_agent_of_the_run_can_do_is_asked_about(more):
    decision = next_steps(a_view(a_task(1, **more)))
    assert "task:t_1" in [each.key for each in of_kind(decision.steps, Ask)]


def test_tasks_in_busy_areas_wait_while_others_are_ready():
    busy = working(1, areas=["src/auth"])
    overlapping, other = a_task(2, areas=["src/auth/token.py"]), a_task(3, areas=["docs"])
    assert launched(busy, overlapping, other) == ("t_3", "codex")
    assert launched(busy, overlapping) == ("t_2", "codex")
    assert launched(busy, overlapping, other, run=a_run(overlap=Overlap.ALLOW)) == ("t_2", "codex")


def test_areas_of_other_runs_in_the_repository_count():
    first, second = a_task(1, areas=["src"]), a_task(2, areas=["docs"])
    assert launched(first, second, other_areas=[["src/x.py"]]) == ("t_2", "claude-code")


def test_areas_of_a_task_under_review_are_free():
    reported = a_task(1, status=TaskStatus.REVIEW, areas=["src"])
    found = launched(reported, a_task(2, areas=["src"]), a_task(3), candidates=[a_candidate(1)])
    assert found == ("t_2", "claude-code")


def test_a_missing_client_is_asked_about_once_and_the_others_take_over():
    clients = {"claude-code": ClientView(name="claude-code", problem="not installed")}
    decision = next_steps(a_view(a_task(1), a_task(2), clients=clients))
    assert [each.key for each in of_kind(decision.steps, Ask)] == ["client:claude-code"]
    assert of_kind(decision.steps, Launch)[0].agent == 1
    again = next_steps(a_view(a_task(1), clients=clients, items={"client:claude-code": "q_1"}))
    assert of_kind(again.steps, Ask) == []
    assert of_kind(next_steps(a_view(a_task(1), items={"client:codex": "q"})).steps, Withdraw)[0].key == "client:codex"


def test_a_client_that_waits_for_its_quota_is_not_launched_before():
    later = NOW + timedelta(hours=1)
    clients = {name: ClientView(name=name, paused_until=later) for name in ("claude-code", "codex")}
    decision = next_steps(a_view(a_task(1), clients=clients))
    assert decision.steps == ()
    assert decision.look_again_at == later


def test_another_client_starts_fresh_and_does_not_continue_the_session():
    ended = has_ended(client="codex", can_resume=True, answer="yes", counts=False)
    clients = {"codex": ClientView(name="codex", problem="signed out")}
    (step,) = of_kind(next_steps(a_view(a_task(1, ended=ended), clients=clients)).steps, Launch)
    assert (step.resumes, step.fresh, step.answer) == (None, True, "yes")


def test_a_task_that_somebody_else_holds_is_not_launched():
    assert launched(a_task(1, status=TaskStatus.IN_PROGRESS, owner_is_foreign=True)) is None


def test_areas_of_an_agent_that_nobody_launched_are_busy_too():
    foreign = a_task(1, status=TaskStatus.IN_PROGRESS, owner_is_foreign=True, areas=["src/auth"])
    assert launched(foreign, a_task(2, areas=["src/auth/token.py"]), a_task(3, areas=["web"])) == ("t_3", "claude-code")
    assert launched(foreign, a_task(2, areas=["src/auth/token.py"])) == ("t_2", "claude-code")
