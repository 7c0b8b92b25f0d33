"""The controller: what always holds, for any view of a run."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mission.domain.checks.round import Purpose, RoundState
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.controller import next_steps
from mission.domain.runs.decisions.choices import BUDGET
from mission.domain.runs.options import AgentMix, Limits, Overlap
from mission.domain.runs.run import RunState
from mission.domain.runs.steps import (
    Advance,
    Ask,
    CarryOut,
    Launch,
    LookBefore,
    SkipTasks,
    StopExecution,
    Withdraw,
)
from mission.domain.runs.view import ClientView, MachineView, Spent
from mission.domain.tasks.states import TaskStatus
from tests.domain.runs.run_views import (
    NOW,
    a_candidate,
    a_round,
    a_run,
    a_task,
    a_view,
    ago,
    built,
    has_ended,
    is_live,
    of_kind,
)

moments = st.integers(0, 7200).map(lambda seconds: ago(seconds=seconds))
maybe = st.none() | moments
clients = st.sampled_from(["claude-code", "codex", "command"])
capabilities = st.sampled_from([[], ["web"]])
spent = st.builds(
    Spent,
    usd=st.none() | st.floats(0, 30),
    tokens=st.none() | st.integers(0, 2000),
    minutes=st.floats(0, 90),
    launches=st.integers(0, 12),
)
limits = st.builds(
    Limits,
    usd=st.none() | st.floats(1, 20),
    tokens=st.none() | st.integers(1, 1000),
    minutes=st.none() | st.floats(1, 60),
    launches=st.none() | st.integers(1, 10),
)


@st.composite
def tasks(draw, number):
    live = ended = None
    if draw(st.booleans()):
        live = is_live(
            id=f"x_{number}",
            client=draw(clients),
            reported_at=draw(maybe),
            active_at=draw(maybe),
            in_tool_since=draw(maybe),
            is_waiting=draw(st.booleans()),
            nudged_at=draw(maybe),
            interrupted_at=draw(maybe),
            checkpointed_at=draw(maybe),
            is_stopping=draw(st.booleans()),
            circles=draw(st.none() | st.just("again and again")),
        )
    if draw(st.booleans()):
        ended = has_ended(
            id=f"x_{number}e",
            client=draw(clients),
            ended_at=draw(moments),
            counts=draw(st.booleans()),
            failed_by_its_word=draw(st.none() | st.just("no")),
            answer=draw(st.none() | st.just("yes")),
            asks=draw(st.booleans()),
            can_resume=draw(st.booleans()),
            refused=draw(st.none() | st.just("missing")),
            refusals=draw(st.integers(0, 5)),
            stopped_by=draw(st.none() | st.just("stopped")),
        )
    return a_task(
        number,
        status=draw(st.sampled_from(list(TaskStatus))),
        depends_on=draw(st.lists(st.integers(0, number - 1).map(lambda each: f"t_{each}"), max_size=2, unique=True))
        if number
        else [],
        areas=draw(st.lists(st.sampled_from(["src", "src/a", "docs"]), max_size=2)),
        requires=draw(st.lists(st.sampled_from(["web", "gpu"]), max_size=1)),
        client=draw(st.none() | clients),
        owner_is_foreign=draw(st.booleans()),
        live=live,
        ended=ended,
        attempts=draw(st.integers(0, 5)),
        clients_tried=draw(st.lists(clients, max_size=3)),
        revisions=draw(st.integers(0, 5)),
        same_failure=draw(st.integers(0, 4)),
        held_by=draw(st.none() | st.just("q_1")),
        decided=draw(st.none() | st.sampled_from(["skip", "skip_all"])),
        has_been_started=draw(st.booleans()),
        spent=draw(spent),
    )


@st.composite
def candidates(draw, number):
    state = draw(st.sampled_from([CandidateState.REPORTED, CandidateState.QUEUED, CandidateState.BUILT]))
    if draw(st.booleans()):
        state = CandidateState.CHECKED
    upon = draw(st.sampled_from(["tip", "older", *(f"merge{each}" for each in range(number))]))
    return built(
        number,
        state=state,
        upon=upon,
        merged_tree=draw(st.sampled_from([f"tree{number}", f"merged{number}"])),
        round_id=draw(st.none() | st.just(f"rd_{number}_0")),
        tip_round_id=draw(st.none() | st.just(f"rd_{number}_t")),
        passed_over=draw(st.integers(0, 3)),
        review=draw(st.none() | st.sampled_from([{"verdict": None}, {"verdict": "approve"}, {"verdict": "changes"}])),
        proof=draw(st.none() | st.just({"state": "accepted"})),
    )


@st.composite
def rounds_of(draw, candidate):
    found = []
    for number in range(draw(st.integers(0, 3))):
        found.append(
            a_round(
                f"rd_{candidate.id[3:]}_{number}",
                draw(st.sampled_from(list(RoundState))),
                candidate,
                tree=draw(st.sampled_from([None, candidate.merged_tree, "another"])),
                created_at=draw(moments),
            )
        )
    if draw(st.booleans()):
        state = draw(st.sampled_from(list(RoundState)))
        found.append(a_round(f"rd_{candidate.id[3:]}_t", state, candidate, purpose=Purpose.TIP, tree="of tip"))
    return found


@st.composite
def views(draw):
    run = a_run(
        state=draw(st.sampled_from(list(RunState))),
        agents=[
            AgentMix(
                client=draw(clients), count=draw(st.integers(0, 2)), capabilities=draw(st.sampled_from([[], ["web"]]))
            )
            for _ in range(draw(st.integers(0, 3)))
        ],
        max_parallel=draw(st.integers(0, 3)),
        overlap=draw(st.sampled_from(list(Overlap))),
        budget=draw(limits),
        budget_per_task=draw(limits),
        finish_only=draw(st.booleans()),
        unproved_allowed=draw(st.booleans()),
        merging_stopped=draw(st.none() | st.just("red")),
        preflight=draw(st.none() | st.sampled_from([{}, {"problems": ["x"]}])),
        final=draw(st.none() | st.just({"commit": "tip", "round_id": "rd_f"})),
    )
    count = draw(st.integers(0, 6))
    chosen = [draw(tasks(number)) for number in range(count)]
    open_ones = [draw(candidates(number)) for number in range(count) if draw(st.booleans())]
    rounds = [round for each in open_ones for round in draw(rounds_of(each))]
    keys = ["budget", "stuck", "tip-red", "disk", "preflight", "task:t_1", "client:codex"]
    return a_view(
        *chosen,
        run=run,
        candidates=open_ones,
        rounds={each.id: each for each in rounds},
        has_required_checks={f"t_{number}": draw(st.booleans()) for number in range(count)},
        frees={f"t_{number}": draw(st.integers(0, 3)) for number in range(count)},
        check_seconds=draw(st.sampled_from([0.0, 90.0])),
        clients={
            name: ClientView(
                name=name, problem=draw(st.none() | st.just("gone")), paused_until=draw(st.none() | st.just(NOW))
            )
            for name in draw(st.lists(clients, unique=True))
        },
        machine=MachineView(
            slots=draw(st.integers(0, 4)),
            busy=draw(st.integers(0, 4)),
            has_disk=draw(st.booleans()),
            last_launch_at=draw(maybe),
        ),
        spent=draw(spent),
        spent_today=draw(spent),
        daily=draw(limits),
        items=dict.fromkeys(draw(st.lists(st.sampled_from(keys), unique=True, max_size=2)), "q"),
        decisions=draw(st.dictionaries(st.sampled_from(keys), st.sampled_from(["go", "stop", "retry"]), max_size=1)),
        launching=draw(st.dictionaries(st.sampled_from(["t_0", "t_1"]), clients, max_size=1)),
    )


any_view = given(view=views())
often = settings(max_examples=400, deadline=None, suppress_health_check=list(HealthCheck))


@often
@any_view
def test_the_same_view_always_gives_the_same_decision(view):
    assert next_steps(view) == next_steps(replace(view))


@often
@any_view
def test_a_task_is_never_launched_twice(view):
    launches = of_kind(next_steps(view).steps, Launch)
    assert all(count == 1 for count in Counter(each.task_id for each in launches).values())
    by_id = {task.id: task for task in view.tasks}
    for each in launches:
        task = by_id[each.task_id]
        assert task.live is None
        assert not task.owner_is_foreign
        assert task.held_by is None
        assert task.id not in view.launching
        assert task.id not in {candidate.task_id for candidate in view.candidates}
        assert all(by_id[other].status in (TaskStatus.COMPLETED, TaskStatus.SKIPPED) for other in task.depends_on)


@often
@any_view
def test_no_launch_goes_over_a_limit(view):
    launches = of_kind(next_steps(view).steps, Launch)
    options = view.run.wanted
    working = [task.live.client for task in view.tasks if task.live is not None and task.live.reported_at is None]
    begun = len(view.launching) + len(launches)
    if not launches:
        return
    assert view.machine.has_disk
    assert view.machine.busy + begun <= view.machine.slots
    assert options.max_parallel == 0 or len(working) + begun <= options.max_parallel
    counted = Counter([*working, *view.launching.values(), *(options.agents[each.agent].client for each in launches)])
    for each in launches:
        client = options.agents[each.agent].client
        allowed = sum(mix.count for mix in options.agents if mix.client == client)
        assert counted[client] <= allowed
        assert view.clients.get(client) is None or view.clients[client].problem is None
        task = next(task for task in view.tasks if task.id == each.task_id)
        assert task.client in (None, client)
        assert set(task.requires) <= set(options.agents[each.agent].capabilities)
    if not options.finish_only:
        for allowed, used in ((options.budget, view.spent), (view.daily, view.spent_today)):
            assert allowed.usd is None or used.usd is None or used.usd < allowed.usd
            assert allowed.tokens is None or used.tokens is None or used.tokens < allowed.tokens
            assert allowed.minutes is None or used.minutes < allowed.minutes
        assert options.budget.launches is None or view.spent.launches + begun <= options.budget.launches


@often
@any_view
def test_only_a_running_run_launches(view):
    if view.run.state is not RunState.RUNNING:
        assert of_kind(next_steps(view).steps, Launch) == []


@often
@any_view
def test_nothing_is_merged_without_passed_evidence_for_exactly_that_tree_on_the_tip(view):
    by_id = {each.id: each for each in view.candidates}
    for step in of_kind(next_steps(view).steps, Advance):
        head = view.run.tip
        for id in step.candidate_ids:
            assert by_id[id].state is CandidateState.CHECKED
            assert by_id[id].tip == head
            assert not by_id[id].waits_for_review
            head = by_id[id].merge_commit
        last = by_id[step.candidate_ids[-1]]
        round = view.rounds.get(last.round_id or "")
        proved = (
            round is not None
            and round.state is RoundState.PASSED
            and round.tree == last.merged_tree
            and round.candidate_id == last.id
        )
        accepted = (last.proof or {}).get("state") == "accepted"
        unproved = view.run.unproved_allowed and not view.has_required_checks.get(last.task_id, True)
        assert proved or accepted or unproved


@often
@any_view
def test_each_question_is_asked_once_and_not_while_it_is_open(view):
    keys = [each.key for each in of_kind(next_steps(view).steps, Ask)]
    assert len(keys) == len(set(keys))
    assert not set(keys) & set(view.items)


@often
@any_view
def test_a_running_run_in_which_nothing_can_happen_has_an_open_question(view):
    if view.run.state is not RunState.RUNNING or not any(
        task.status not in (TaskStatus.COMPLETED, TaskStatus.SKIPPED) for task in view.tasks
    ):
        return
    decision = next_steps(view)
    moves = any(not isinstance(each, Ask) for each in decision.steps) or decision.look_again_at is not None
    busy = any(task.live is not None or task.owner_is_foreign for task in view.tasks) or view.launching
    checking = any(round.state is RoundState.OPEN for round in view.rounds.values())
    full = view.machine.busy >= view.machine.slots
    asked = of_kind(decision.steps, Ask) or view.items or view.decisions
    assert moves or busy or checking or full or asked


def test_a_run_that_has_ended_only_stops_its_agents():
    live = a_task(1, status=TaskStatus.IN_PROGRESS, live=is_live())
    steps = next_steps(a_view(live, a_task(2), run=a_run(state=RunState.STOPPED))).steps
    assert [type(each) for each in steps] == [StopExecution]


def test_a_run_that_is_ready_looks_and_launches_nothing():
    steps = next_steps(a_view(a_task(1), run=a_run(state=RunState.READY, preflight=None))).steps
    assert steps == (LookBefore(),)


def test_pause_lets_running_agents_finish():
    live = a_task(1, status=TaskStatus.IN_PROGRESS, live=is_live())
    assert next_steps(a_view(live, a_task(2), run=a_run(state=RunState.PAUSED))).steps == ()


@pytest.mark.parametrize(("choice", "skipped"), [("skip", ("t_1",)), ("skip_all", ("t_1", "t_2", "t_3"))])
def test_skipping_takes_the_dependents_along_only_if_that_was_chosen(choice, skipped):
    chosen = a_task(1, decided=choice, decided_key="task:t_1", status=TaskStatus.FAILED)
    rest = (a_task(2, depends_on=["t_1"]), a_task(3, depends_on=["t_2"]), a_task(4))
    steps = of_kind(next_steps(a_view(chosen, *rest)).steps, SkipTasks)
    assert steps == [SkipTasks(task_ids=skipped, item_key="task:t_1")]


def test_stopping_as_the_answer_to_any_question_stops_the_run():
    view = a_view(a_task(1), decisions={"tip-red": "stop"})
    assert CarryOut(key="tip-red", choice="stop") in next_steps(view).steps


def test_an_added_task_joins():
    done = a_task(1, status=TaskStatus.COMPLETED)
    assert of_kind(next_steps(a_view(done, a_task(2))).steps, Launch)[0].task_id == "t_2"


def test_the_run_finishes_only_after_the_last_candidate():
    done = a_task(1, status=TaskStatus.COMPLETED)
    steps = next_steps(a_view(done, candidates=[a_candidate(2)])).steps
    assert not any(type(each).__name__ == "Move" for each in steps)


def test_carrying_out_a_decision_changes_the_next_one():
    before = a_view(a_task(1), a_task(2))
    (step,) = of_kind(next_steps(before).steps, Launch)
    live = replace(before.tasks[0], status=TaskStatus.IN_PROGRESS, live=is_live())
    after = replace(
        before, tasks=(live, before.tasks[1]), now=NOW + timedelta(seconds=1), machine=MachineView(slots=9, busy=1)
    )
    assert step.task_id == "t_1"
    assert [each.task_id for each in of_kind(next_steps(after).steps, Launch)] == ["t_2"]


def test_a_client_that_lost_its_variables_is_paused_with_one_item_that_says_what_to_do():
    lost = ClientView(name="codex", problem="the daemon no longer has OPENAI_API_KEY", lost=("OPENAI_API_KEY",))
    steps = next_steps(a_view(a_task(1), a_task(2, client="codex"), clients={"codex": lost})).steps

    (question,) = of_kind(steps, Ask)
    assert question.key == "client:codex"
    assert "OPENAI_API_KEY" in question.subject
    assert "mission resume run_1" in question.body
    assert [each["value"] for each in question.choices] == ["retry", "go", "stop"]
    assert [(each.task_id, each.agent) for each in of_kind(steps, Launch)] == [("t_1", 0)]


def test_a_client_that_was_missing_before_the_first_launch_was_asked_about_then():
    missing = {"codex": ClientView(name="codex", problem="it is not installed")}
    known = a_run(preflight={"problems": [], "missing": ["codex"]})

    assert of_kind(next_steps(a_view(a_task(1), clients=missing)).steps, Ask)[0].key == "client:codex"
    assert of_kind(next_steps(a_view(a_task(1), clients=missing, run=known)).steps, Ask) == []


def test_a_run_without_any_client_says_so():
    missing = {name: ClientView(name=name, problem="it is gone") for name in ("codex", "claude-code")}
    run = a_run(preflight={"problems": [], "missing": ["codex", "claude-code"]})

    (question,) = next_steps(a_view(a_task(1), clients=missing, run=run)).steps

    assert question.key == "stuck"
    assert "codex cannot be launched: it is gone" in question.body


def test_a_paused_run_does_not_say_that_it_waits_for_a_person():
    view = a_view(a_task(1), run=a_run(state=RunState.PAUSED), items={"stuck": "q_1"})

    assert next_steps(view).steps == (Withdraw(key="stuck", reason="the run is paused"),)


def test_the_question_about_the_last_launch_stays_open_while_that_launch_begins():
    run = a_run(budget=Limits(launches=1))
    view = a_view(a_task(1), a_task(2), run=run, launching={"t_1": "codex"})

    asked = next_steps(view).steps
    again = next_steps(replace(view, items={BUDGET: "the budget is spent"})).steps

    assert [each.key for each in asked if isinstance(each, Ask)] == [BUDGET]
    assert again == ()
