"""A run that cannot continue without a person says so."""

from __future__ import annotations

from mission.domain.runs.controller import next_steps
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import Ask, Withdraw
from mission.domain.runs.view import ClientView
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import a_candidate, a_run, a_task, a_view, is_live, of_kind

HELD = a_task(1, name="login", status=TaskStatus.PAUSED, held_by="q_1")


def test_one_item_says_so_and_names_what_each_answer_would_free():
    view = a_view(HELD, a_task(2, depends_on=["t_1"]), a_task(3, depends_on=["t_2"]))
    (question,) = next_steps(view).steps
    assert question.key == "stuck"
    assert "'login' waits for an answer, which frees it and 2 more" in question.body


def test_a_question_holds_up_nothing_else():
    steps = next_steps(a_view(HELD, a_task(2))).steps
    assert [each.task_id for each in steps] == ["t_2"]


def test_the_item_is_withdrawn_when_something_happens_again():
    running = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live())
    steps = next_steps(a_view(HELD, running, items={"stuck": "q_2"})).steps
    assert of_kind(steps, Withdraw)[0].key == "stuck"


def test_an_agent_that_waits_for_an_answer_moves_nothing():
    waiting = a_task(1, status=TaskStatus.PAUSED, held_by="q_1", live=is_live(is_waiting=True))
    assert [each.key for each in of_kind(next_steps(a_view(waiting)).steps, Ask)] == ["stuck"]


def test_a_review_that_nobody_gave_is_named():
    reviewed = a_candidate(1, review={"verdict": None})
    task = a_task(1, name="login", status=TaskStatus.REVIEW)
    (question,) = next_steps(a_view(task, candidates=[reviewed])).steps
    assert "'login'" in question.body


def test_a_circle_of_dependencies_is_told():
    view = a_view(a_task(1, depends_on=["t_2"]), a_task(2, depends_on=["t_1"]))
    assert [each.key for each in of_kind(next_steps(view).steps, Ask)] == ["stuck"]


def test_a_paused_run_is_not_told_that_it_stands_still():
    assert next_steps(a_view(HELD, run=a_run(state=RunState.PAUSED))).steps == ()


def test_a_question_about_the_only_client_says_it_by_itself_unless_others_wait_too():
    lost = {name: ClientView(name=name, problem="gone") for name in ("claude-code", "codex")}
    asked = {"client:claude-code": "q_1", "client:codex": "q_2"}
    assert next_steps(a_view(a_task(1), clients=lost, items=asked)).steps == ()

    (question,) = next_steps(a_view(a_task(2), HELD, clients=lost, items=asked)).steps
    assert "'login' waits for an answer, which frees it" in question.body
    assert "codex cannot be launched: gone" in question.body
