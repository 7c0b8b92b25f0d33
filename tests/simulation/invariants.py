"""What must be true of every run, whatever its agents did and whenever its daemon died. Each rule is one function."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mission.domain.checks.check import CheckKind
from mission.domain.checks.evidence import Evidence, EvidenceState, ProofState, Role
from mission.domain.checks.round import RoundState
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.run import Run
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.runs.lifecycle import run_view
from mission.store.transaction import Tx
from tests.simulation.ports.machine import Machine, Program

MAX_PASSED_OVER = 3
CONSENTS = ("preflight", "unproved")
"""Questions with which a person lets work be merged without proof."""


class Violation(AssertionError):
    """A rule that does not hold."""


@dataclass(kw_only=True, slots=True)
class Facts:
    """The rows of a mission, and what really happened."""

    run: Run
    tasks: Mapping[str, Task]
    candidates: list[Candidate]
    evidence: Mapping[str, Evidence]
    machine: Machine
    tx: Tx
    main: str
    """Where the user's own branch was put by its user."""
    merged: list[Candidate] = field(default_factory=list)

    @classmethod
    def read(cls, tx: Tx, *, run_id: str, machine: Machine, main: str) -> Facts:
        run = tx.runs.get(run_id)
        rows = tx.evidence.page(task_id=None, mission_id=run.mission_id, states=None, limit=10_000, after=None)
        candidates = tx.candidates.of_run(run.id)
        return cls(
            run=run,
            tasks={task.id: task for task in run_view.tasks_of(tx, run.mission_id)},
            candidates=candidates,
            evidence={row.id: row for row in rows},
            machine=machine,
            tx=tx,
            main=main,
            merged=[each for each in candidates if each.state is CandidateState.MERGED],
        )


def check_all(tx: Tx, *, run_id: str, machine: Machine, main: str) -> None:
    """Raise a Violation that names the first rule that does not hold."""
    facts = Facts.read(tx, run_id=run_id, machine=machine, main=main)
    for rule in RULES:
        try:
            rule(facts)
        except AssertionError as broken:
            raise Violation(f"{rule.__name__}: {broken}") from broken


def nothing_passed_that_did_not_really_pass(facts: Facts) -> None:
    for row in facts.evidence.values():
        if row.state is EvidenceState.PASSED and row.role is Role.RESULT and row.check.kind is CheckKind.RUN:
            assert _is_true(row, facts), f"{row.id} passed on {row.tree}, which no command saw"


def nothing_is_proved_without_passing_evidence_for_its_tree(facts: Facts) -> None:
    for each in facts.merged:
        if (each.proof or {}).get("state") != ProofState.PROVED:
            continue
        round = facts.tx.rounds.get(each.round_id or "")
        last = [other for other in facts.merged if other.round_id == round.id][-1]
        assert round.state is RoundState.PASSED, f"{each.id} is proved by a round that is {round.state}"
        assert round.tree == last.merged_tree, f"{each.id} is proved by evidence for another tree"
        required = [check for check in round.defined if check.check.required]
        assert required, f"{each.id} is proved without a required check"
        rows = {row.name: row for row in facts.tx.evidence.of_round(round.id) if row.role is Role.RESULT}
        for check in required:
            row = rows[check.check.name]
            assert (row.state, row.tree) == (EvidenceState.PASSED, round.tree), f"{row.name} did not pass for {each.id}"


def nothing_unproved_is_merged_unless_a_person_accepted_it(facts: Facts) -> None:
    for each in facts.merged:
        state = (each.proof or {}).get("state")
        by_person = (
            state == ProofState.ACCEPTED
            or facts.run.unproved_allowed
            or bool(facts.run.waivers)
            or (each.review or {}).get("verdict") == "approve"
        )
        assert state == ProofState.PROVED or by_person, f"{each.id} was merged {state}, and nobody accepted it"
    if facts.run.unproved_allowed or facts.run.waivers:
        answered = [facts.tx.inbox.answered_last(f"run {facts.run.id} {key}") for key in CONSENTS]
        assert any(answered), "a person's consent is recorded, and no person was asked"


def no_merge_happens_twice(facts: Facts) -> None:
    merged = Counter(each.task_id for each in facts.merged)
    assert not [task for task, times in merged.items() if times > 1], f"merged twice: {merged}"


def the_branch_holds_exactly_the_merged_tasks(facts: Facts) -> None:
    run, repository = facts.run, facts.machine.repository
    tip = repository.branches.get(run.branch)
    landed = (run.landing or {}).get("state") == "landed"
    assert tip is not None or landed, "the branch is gone"
    chain: list[str] = []
    at = tip or run.tip
    while at != run.base_commit:
        chain.append(at)
        at = repository.commits[at].parents[0]
    caught_up = {each for each in chain if repository.commits[each].subject.startswith("Merge main into")}
    foreign = {str(each["commit"]) for each in run.foreign_commits}
    ours = {each.merge_commit for each in facts.merged}
    unknown = set(chain) - ours - foreign - caught_up - _unseen(facts)
    assert not unknown, f"the branch has commits of nobody: {unknown}"
    missing = ours - set(chain)
    assert not missing, f"the branch lacks merged work: {missing}"
    for each in facts.merged:
        task = facts.tasks[each.task_id]
        assert task.status in (TaskStatus.COMPLETED, TaskStatus.SKIPPED), f"{task.name} is merged and {task.status}"
    ended = run.ended_at or facts.tx.now  # what is reported after a run was stopped is completed like any other task
    done = [each for each in facts.tasks.values() if each.completed_at is not None and each.completed_at < ended]
    done = [each for each in done if each.status is TaskStatus.COMPLETED]
    assert {task.id for task in done} <= {each.task_id for each in facts.merged}, "a task is completed and not merged"


def no_candidate_waits_while_an_older_one_was_passed_over_four_times(facts: Facts) -> None:
    worst = max((each.passed_over for each in facts.candidates), default=0)
    assert worst <= MAX_PASSED_OVER, f"a candidate was passed over {worst} times"


def no_task_has_two_live_executions(facts: Facts) -> None:
    live = Counter(each.task_id for each in facts.tx.executions.live(host_id=facts.run.host_id))
    assert not [task for task, number in live.items() if number > 1], f"two live executions: {live}"


def the_users_own_branch_moves_only_when_the_run_lands(facts: Facts) -> None:
    repository = facts.machine.repository
    landed = (facts.run.landing or {}).get("state") in ("landed", "asked")
    assert landed or repository.branches["main"] == facts.main, "the user's branch was moved"
    here = repository.worktrees[repository.top]
    assert here.files == repository.files_of(repository.branches["main"]), "the user's files were changed"


RULES: tuple[Callable[[Facts], None], ...] = (
    nothing_passed_that_did_not_really_pass,
    nothing_is_proved_without_passing_evidence_for_its_tree,
    nothing_unproved_is_merged_unless_a_person_accepted_it,
    no_merge_happens_twice,
    the_branch_holds_exactly_the_merged_tasks,
    no_candidate_waits_while_an_older_one_was_passed_over_four_times,
    no_task_has_two_live_executions,
    the_users_own_branch_moves_only_when_the_run_lands,
)


def check_start(tx: Tx, *, program: Program, machine: Machine) -> None:
    """Check what must be true whenever a program starts: it has a row, and nobody else works on its task."""
    execution = tx.executions.find(program.execution_id)
    if execution is None or not execution.is_live:
        raise Violation(f"no_process_without_a_row: {program.execution_id} starts without a live row")
    others = [each.execution_id for each in machine.running if each.task_id == program.task_id]
    if others:
        raise Violation(f"no_task_has_two_live_writers: {program.execution_id} starts next to {others}")


def _is_true(row: Evidence, facts: Facts) -> bool:
    origin = facts.evidence[row.reused_from] if row.reused_from is not None else row
    same = (origin.definition, origin.tree) == (row.definition, row.tree)
    return same and (origin.id, row.tree or "") in facts.machine.saw


def _unseen(facts: Facts) -> set[str]:
    """Return commits of a person that came after the run last looked at its branch."""
    repository = facts.machine.repository
    return {id for id, commit in repository.commits.items() if commit.text.endswith("by a person")}
