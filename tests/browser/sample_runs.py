"""Runs in each state, with tasks in each stage, as rows. They belong to another machine, so nothing drives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from mission.domain.checks.check import parse_checks
from mission.domain.checks.evidence import Evidence, EvidenceState, Place, ProofState, Role
from mission.domain.checks.round import CheckRound, Purpose, RoundState
from mission.domain.executions.execution import Execution, ExecutionStatus
from mission.domain.ids import new_id
from mission.domain.missions.mission import Mission, MissionStatus
from mission.domain.runs.candidate import Candidate, CandidateState
from mission.domain.runs.options import AgentMix, Limits, RunOptions
from mission.domain.runs.run import Run, RunState
from mission.domain.tasks.hold import Hold, HoldKind
from mission.domain.tasks.states import TaskStatus
from mission.domain.tasks.task import Task
from mission.services.inbox import items as inbox
from mission.store.transaction import Tx
from tests.store.rows import Rows
from tests.store.runs.samples import candidate_of, run_of

ELSEWHERE = "another-host"
MIX = [AgentMix(client="claude-code", count=3), AgentMix(client="codex", count=2)]
BUDGET = Limits(usd=20.0, minutes=240, launches=40)
GO_OR_STOP: Sequence[Mapping[str, Any]] = (
    {"kind": "fixed", "label": "Go", "value": "go", "description": "Tasks merge as unproved"},
    {"kind": "fixed", "label": "Stop", "value": "stop", "description": "Nothing was launched yet"},
)
CONFLICT = "src/passkeys/store.py was changed by 'Store public keys' too"


def plant_runs(tx: Tx) -> dict[str, str]:
    """Write a run in each state. Return their ids by state, two candidates, and a mission without a run."""
    found = _running(tx)
    found["ready"] = _ready(tx)
    found["paused"] = _simple(tx, "Split web bundle by route", RunState.PAUSED, reason="A person paused it.")
    found["finishing"] = _simple(tx, "Rotate signing keys", RunState.FINISHING, reason="The final checks run.")
    found["finished"] = _simple(tx, "Retire the old exporter", RunState.FINISHED, reason=None)
    found["stopped"] = _simple(tx, "Nightly import in parts", RunState.STOPPED, reason="ada stopped it.")
    found["planning"] = _simple(tx, "Add dark mode", RunState.PLANNING, reason="codex plans it.", merged=0)
    found["runnable"] = _mission(tx, "Tidy the changelog").id
    Rows(tx).task(tx.missions.get(found["runnable"]), "Sort the entries", created_at=tx.now, updated_at=tx.now)
    return found


def _mission(tx: Tx, name: str, *, status: MissionStatus = MissionStatus.IN_PROGRESS) -> Mission:
    moments = {"created_at": tx.now - timedelta(hours=2), "updated_at": tx.now}
    return Rows(tx).mission(name, objective=f"{name}, with tests", status=status, started_at=tx.now, **moments)


def _run(tx: Tx, mission: Mission, state: RunState, **fields: Any) -> Run:
    started = tx.now - timedelta(minutes=100)
    options = RunOptions(agents=MIX, budget=BUDGET, land=False, max_parallel=4)
    values: dict[str, Any] = {
        "host_id": ELSEWHERE,
        "branch": f"mission/{mission.name.lower().replace(' ', '-')}-{mission.id[-4:]}",
        "tip": "c" * 40,
        "options": options.as_dict(),
        "state": state,
        "created_at": started,
        "first_launch_at": started + timedelta(minutes=1),
        "updated_at": tx.now,
    }
    run = run_of(mission.id, **{**values, **fields})
    tx.runs.add(run)
    return run


class Stages:
    """Adds tasks to the running run, each with the rows that put it into its stage."""

    def __init__(self, tx: Tx, mission: Mission, run: Run) -> None:
        self._tx, self._mission, self._run, self._rows = tx, mission, run, Rows(tx)
        self._minutes = 0

    def task(self, name: str, status: TaskStatus = TaskStatus.PENDING, **fields: Any) -> Task:
        moments = {"created_at": self._run.created_at, "updated_at": self._tx.now}
        begun = None if status is TaskStatus.PENDING else self._run.created_at
        return self._rows.task(self._mission, name, status=status, started_at=begun, **moments, **fields)

    def execution(self, task: Task, status: ExecutionStatus, *, minutes: float = 12, cost: float = 1.4) -> Execution:
        begun = self._tx.now - timedelta(minutes=minutes)
        ended = None if status is ExecutionStatus.RUNNING else self._tx.now - timedelta(seconds=20)
        return self._rows.execution(
            task,
            adapter="claude-code",
            host_id=ELSEWHERE,
            status=status,
            usage={"cost_usd": cost, "input_tokens": 240_000, "output_tokens": 9_000},
            created_at=begun,
            started_at=begun,
            updated_at=self._tx.now,
            ended_at=ended,
        )

    def candidate(self, task: Task, state: CandidateState, **fields: Any) -> Candidate:
        self._minutes += 3
        at = self._run.created_at + timedelta(minutes=self._minutes)
        values = {
            "commit": "d" * 40,
            "tree": "e" * 40,
            "tip": self._run.tip,
            "report": {"summary": f"{task.name}: done, with tests for both browsers."},
            "execution_id": self.execution(task, ExecutionStatus.COMPLETED).id,
            "created_at": at,
            "updated_at": at,
            **fields,
        }
        made = candidate_of(self._run, task.id, state=state, **values)
        self._tx.candidates.add(made)
        return made

    def merged(self, name: str, proof: ProofState = ProofState.PROVED) -> None:
        task = self.task(name, TaskStatus.COMPLETED, proof_state=proof, completed_at=self._tx.now)
        self.candidate(task, CandidateState.MERGED, merge_commit="f" * 40, merged_at=self._tx.now)

    def checked(self, candidate: Candidate, *, failed: bool = False) -> Candidate:
        """Give a candidate a round with evidence on its merged tree."""
        checks = parse_checks(["make test", {"name": "lint", "run": "make lint", "required": False}])
        round = CheckRound(
            id=new_id("check round"),
            task_id=candidate.task_id,
            mission_id=candidate.mission_id,
            purpose=Purpose.MERGE,
            host_id=ELSEWHERE,
            path="/elsewhere/merge",
            repository="/elsewhere",
            checks=[],
            run_id=self._run.id,
            candidate_id=candidate.id,
            place=Place.MERGE,
            state=RoundState.FAILED if failed else RoundState.PASSED,
            created_at=self._tx.now,
            updated_at=self._tx.now,
        )
        self._tx.rounds.add(round)
        for check in checks:
            state = EvidenceState.FAILED if failed and check.required else EvidenceState.PASSED
            self._tx.evidence.add(self._evidence(round, check, state))
        saved = replace(candidate, round_id=round.id)
        self._tx.candidates.save(saved)
        return saved

    def _evidence(self, round: CheckRound, check: Any, state: EvidenceState) -> Evidence:
        return Evidence(
            id=new_id("evidence"),
            task_id=round.task_id,
            mission_id=round.mission_id,
            round_id=round.id,
            name=check.name,
            definition="0" * 64,
            check=check,
            required=check.required,
            role=Role.RESULT,
            place=Place.MERGE,
            tree="e" * 40,
            host_id=ELSEWHERE,
            repository="/elsewhere",
            state=state,
            exit_code=1 if state is EvidenceState.FAILED else 0,
            seconds=12.4,
            output="41 passed, 1 failed" if state is EvidenceState.FAILED else "42 passed",
            output_bytes=20,
            created_at=self._tx.now,
            updated_at=self._tx.now,
            started_at=self._tx.now,
            ended_at=self._tx.now,
        )


def _running(tx: Tx) -> dict[str, str]:
    mission = _mission(tx, "Sign in with passkeys")
    run = _run(tx, mission, RunState.RUNNING)
    stages = Stages(tx, mission, run)
    for name in ("Describe the ceremony", "Store public keys", "Challenge endpoint"):
        stages.merged(name)
    stages.merged("Note in the changelog", ProofState.UNPROVED)
    stages.execution(stages.task("Register a passkey", TaskStatus.IN_PROGRESS), ExecutionStatus.RUNNING)
    stages.execution(stages.task("List and revoke passkeys", TaskStatus.IN_PROGRESS), ExecutionStatus.RUNNING)
    checking = stages.task("Verify the signature", TaskStatus.REVIEW)
    stages.checked(stages.candidate(checking, CandidateState.BUILT, merge_commit="f" * 40))
    reviewed = stages.task("Fall back to a password", TaskStatus.REVIEW)
    candidate = stages.checked(stages.candidate(reviewed, CandidateState.CHECKED, review={"rule": "risk"}))
    inbox.open_item(tx, kind="review", subject=f"Review: {reviewed.name}", task_id=reviewed.id, choices=_review())
    stages.candidate(stages.task("Rate limit of sign-in", TaskStatus.REVIEW), CandidateState.QUEUED)
    asking = stages.task("Recovery codes", TaskStatus.PAUSED, hold=Hold(HoldKind.INPUT, "How many codes?", None))
    inbox.open_item(tx, kind="question", subject="How many recovery codes does a person get?", task_id=asking.id)
    back = stages.task("Sync across devices")
    conflict = stages.candidate(
        back,
        CandidateState.CONFLICTED,
        reason=CONFLICT,
        findings=[{"kind": "conflict", "path": "src/passkeys/store.py", "detail": "both sides changed it"}],
    )
    crashed = stages.task("Attestation formats")
    stages.execution(crashed, ExecutionStatus.FAILED, minutes=5)
    stages.task("Import from the old store", TaskStatus.FAILED, error="The old store is encrypted with a lost key.")
    stages.task("Support for U2F", TaskStatus.SKIPPED)
    stages.task("Remove the password column", waiting_for=1)
    return {"running": run.id, "candidate": candidate.id, "conflict": conflict.id, "mission": mission.id}


def _review() -> list[dict[str, str]]:
    return [
        {"kind": "fixed", "label": "Approve", "value": "accept"},
        {"kind": "manual", "label": "Send back", "placeholder": "what should change"},
    ]


def _ready(tx: Tx) -> str:
    mission = _mission(tx, "Postgres 17, no downtime")
    options = RunOptions(agents=MIX[:1], budget=Limits(usd=5.0)).as_dict()
    preflight = {"problems": ["No required check is defined."], "notes": ["2 uncommitted files are not part of it."]}
    run = _run(tx, mission, RunState.READY, first_launch_at=None, options=options, preflight=preflight)
    Stages(tx, mission, run).task("Upgrade the replica")
    inbox.open_item(
        tx,
        kind="run",
        subject="Start this run without a required check?",
        body="No check is required: its tasks would merge as unproved.",
        mission_id=mission.id,
        choices=GO_OR_STOP,
        dedupe_key=f"run {run.id} preflight",
    )
    return run.id


def _simple(tx: Tx, name: str, state: RunState, *, reason: str | None, merged: int = 2) -> str:
    ended = state in (RunState.FINISHED, RunState.STOPPED)
    mission = _mission(tx, name, status=MissionStatus.COMPLETED if ended else MissionStatus.IN_PROGRESS)
    moments = {"ended_at": tx.now - timedelta(minutes=9)} if ended else {}
    run = _run(tx, mission, state, reason=reason, paused_at=tx.now if state is RunState.PAUSED else None, **moments)
    stages = Stages(tx, mission, run)
    for number in range(merged):
        stages.merged(f"{name}: step {number + 1}")
    if state in (RunState.PAUSED, RunState.PLANNING):
        stages.task(f"{name}: the rest")
    return run.id
