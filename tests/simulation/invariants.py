"""What must be true of every run, whatever its agents did and whenever its daemon died. Each rule is one function."""

from __future__ import annotations

from collections.abc import Callable

from mission.store.transaction import Tx
from tests.simulation.ports.machine import Machine
from tests.simulation.rules import branch, budgets, proof
from tests.simulation.rules.facts import Facts, Violation

RULES: tuple[Callable[[Facts], None], ...] = (
    proof.nothing_passed_that_did_not_really_pass,
    proof.nothing_is_proved_without_passing_evidence_for_its_tree,
    proof.nothing_unproved_is_merged_unless_a_person_accepted_it,
    proof.no_candidate_is_blamed_for_another,
    proof.files_that_a_command_makes_trouble_no_agent,
    proof.a_finished_run_passed_its_final_checks_or_a_person_let_it_through,
    branch.no_merge_happens_twice,
    branch.the_branch_holds_exactly_the_merged_tasks,
    branch.no_candidate_waits_while_an_older_one_was_passed_over_four_times,
    branch.no_task_has_two_live_executions,
    branch.the_users_own_branch_moves_only_when_the_run_lands,
    budgets.budgets_overshoot_by_at_most_what_was_in_flight,
)


def check_all(tx: Tx, *, run_id: str, machine: Machine, main: str) -> None:
    """Raise a Violation that names the first rule that does not hold."""
    facts = Facts.read(tx, run_id=run_id, machine=machine, main=main)
    for rule in RULES:
        try:
            rule(facts)
        except AssertionError as broken:
            raise Violation(f"{rule.__name__}: {broken}") from broken
