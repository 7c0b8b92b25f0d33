"""Budgets of runs, tasks and days."""

from __future__ import annotations

import pytest

from mission.domain.runs.controller import next_steps
from mission.domain.runs.decisions import budgets
from mission.domain.runs.options import Limits
from mission.domain.runs.steps import Ask, Launch, StopExecution, Tell, Withdraw
from mission.domain.runs.view import Spent
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import a_run, a_task, a_view, ago, has_ended, is_live, of_kind

RUN = a_run(budget=Limits(usd=20.0, tokens=1000, minutes=60, launches=9))


@pytest.mark.parametrize("spent", [Spent(usd=20.0), Spent(tokens=1000), Spent(minutes=60.0)])
def test_at_the_limit_nothing_is_launched_agents_save_their_work_and_a_person_is_asked(spent):
    live = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live())
    steps = next_steps(a_view(a_task(1), live, run=RUN, spent=spent)).steps
    assert of_kind(steps, Launch) == []
    assert [each.kind for each in of_kind(steps, Tell)] == ["checkpoint"]
    (question,) = of_kind(steps, Ask)
    assert question.key == "budget"
    assert [each["value"] for each in question.choices] == ["raise", "finish", "stop"]


def test_a_minute_after_the_checkpoint_they_are_stopped():
    def steps(**ago_):
        task = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live(checkpointed_at=ago(**ago_)))
        return next_steps(a_view(task, run=RUN, spent=Spent(usd=21.0), items={"budget": "q_1"})).steps

    assert steps(seconds=59) == ()
    assert [each.reason for each in steps(seconds=60)] == [budgets.SPENT_REASON]


def test_below_the_limit_work_goes_on_and_an_open_question_is_withdrawn():
    steps = next_steps(a_view(a_task(1), run=RUN, spent=Spent(usd=19.99), items={"budget": "q"})).steps
    assert len(of_kind(steps, Launch)) == 1
    assert of_kind(steps, Withdraw)[0].key == "budget"


def test_what_is_known_reaches_a_limit_although_the_whole_is_unknown():
    assert budgets.spent_limit(Limits(usd=1.0), Spent(usd=None, known_usd=1.5)) == "at least 1.50 of 1.00 USD"


def test_an_unknown_price_is_no_limit_and_no_zero():
    assert budgets.spent_limit(Limits(usd=1.0), Spent(usd=None)) is None
    assert budgets.spent_limit(Limits(usd=1.0), Spent(usd=None, known_usd=0.9)) is None
    assert budgets.spent_limit(Limits(tokens=1), Spent(tokens=None)) is None


def test_the_last_launch_may_work_to_its_end():
    live = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live())
    steps = next_steps(a_view(live, a_task(1), run=RUN, spent=Spent(launches=9))).steps
    assert [type(each) for each in steps] == [Ask]
    assert next_steps(a_view(live, run=RUN, spent=Spent(launches=9))).steps == ()


def test_without_a_launch_left_the_budget_is_asked_about_once_a_task_is_due_and_nothing_else_before():
    """A task that waits after an attempt needs no person yet."""
    limited = a_run(budget=Limits(launches=1))
    waiting = a_task(1, ended=has_ended(ended_at=ago(seconds=10)), attempts=1, has_been_started=True)
    due = a_task(1, ended=has_ended(ended_at=ago(minutes=5)), attempts=1, has_been_started=True)
    assert of_kind(next_steps(a_view(waiting, run=limited, spent=Spent(launches=1))).steps, Ask) == []
    (question,) = of_kind(next_steps(a_view(due, run=limited, spent=Spent(launches=1))).steps, Ask)
    assert question.key == "budget"


def test_launches_that_have_no_row_yet_count_against_the_limit():
    view = a_view(a_task(1), a_task(2), run=RUN, spent=Spent(launches=8), launching={"t_2": "codex"})
    assert of_kind(next_steps(view).steps, Launch) == []


def test_a_task_over_its_own_limit_is_wound_down_alone():
    run = a_run(budget_per_task=Limits(usd=2.0))
    one = a_task(1, status=TaskStatus.IN_PROGRESS, live=is_live(id="x_1"), spent=Spent(usd=2.5))
    other = a_task(2, status=TaskStatus.IN_PROGRESS, live=is_live(id="x_2"), spent=Spent(usd=1.0))
    steps = next_steps(a_view(one, other, run=run)).steps
    assert [each.execution_id for each in of_kind(steps, Tell)] == ["x_1"]


def test_a_day_has_a_limit_over_all_runs():
    view = a_view(a_task(1), daily=Limits(usd=50.0), spent_today=Spent(usd=50.0))
    steps = next_steps(view).steps
    assert of_kind(steps, Launch) == []
    assert "today" in of_kind(steps, Ask)[0].subject


def test_finishing_what_was_started_launches_only_that():
    run = a_run(budget=Limits(usd=1.0), finish_only=True)
    steps = next_steps(a_view(a_task(1), a_task(2, has_been_started=True), run=run, spent=Spent(usd=5.0))).steps
    assert [each.task_id for each in of_kind(steps, Launch)] == ["t_2"]
    assert of_kind(steps, StopExecution) == []


def test_launches_of_a_day_are_limited_and_the_question_says_that_another_day_begins():
    view = a_view(a_task(1), daily=Limits(launches=3), spent_today=Spent(launches=2), launching={"t_9": "codex"})
    steps = next_steps(view).steps
    assert of_kind(steps, Launch) == []
    (question,) = of_kind(steps, Ask)
    assert "tomorrow" in question.body
    assert [each["value"] for each in question.choices] == ["finish", "stop"]
    asked = a_view(a_task(1), daily=Limits(launches=3), spent_today=Spent(launches=2), items={"budget": "q_1"})
    assert of_kind(next_steps(asked).steps, Withdraw)[0].key == "budget"
