"""Nothing is proved, and nothing is merged, without evidence for exactly that tree, or a person's word."""

from __future__ import annotations

from mission.domain.checks.check import CheckKind, Scope
from mission.domain.checks.evidence import Evidence, EvidenceState, ProofState, Role
from mission.domain.checks.round import RoundState
from mission.domain.runs.candidate import CandidateState
from mission.domain.runs.run import RunState
from tests.simulation.exams import LOCK
from tests.simulation.rules.facts import Facts

CONSENTS = ("preflight", "unproved")
"""Questions with which a person lets work be merged without proof."""
MAX_REPAIRS = 2


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


def no_candidate_is_blamed_for_another(facts: Facts) -> None:
    """A candidate that is sent back for failed checks was checked alone, upon what is merged."""
    waiting = {each.merge_commit for each in facts.candidates if each.state is not CandidateState.MERGED}
    for each in facts.candidates:
        round = facts.tx.rounds.find(each.round_id or "")
        if each.state is CandidateState.FAILED and round is not None and round.state is RoundState.FAILED:
            assert round.tree == each.merged_tree, f"{each.id} was sent back for another tree"
            assert each.tip not in waiting, f"{each.id} was sent back for what it is stacked upon"


def files_that_a_command_makes_trouble_no_agent(facts: Facts) -> None:
    if not facts.run.wanted.regenerate or facts.machine.nature.unprepared:
        return
    for each in facts.candidates:
        paths = [finding["path"] for finding in each.findings if finding.get("kind") == "conflict"]
        assert LOCK not in paths, f"{each.id} was sent back for a conflict in {LOCK}"


def a_finished_run_passed_its_final_checks_or_a_person_let_it_through(facts: Facts) -> None:
    final = facts.run.final or {}
    assert len(final.get("repairs") or ()) <= MAX_REPAIRS, "more than two repair tasks"
    if facts.run.state is not RunState.FINISHED:
        return
    round = facts.tx.rounds.find(final.get("round_id") or "")
    wanted = bool(facts.tx.checks.of(Scope.MISSION, facts.run.mission_id, final=True))
    passed = round is not None and round.state is RoundState.PASSED and round.tree is not None
    assert not wanted or passed or final.get("accepted"), f"it finished, and its final checks are {round}"


def _is_true(row: Evidence, facts: Facts) -> bool:
    origin = facts.evidence[row.reused_from] if row.reused_from is not None else row
    same = (origin.definition, origin.tree) == (row.definition, row.tree)
    return same and (origin.id, row.tree or "") in facts.machine.saw
