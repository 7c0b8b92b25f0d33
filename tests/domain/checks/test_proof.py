"""The proof that is stored with a task."""

from __future__ import annotations

from mission.domain.checks.evidence import ProofState
from mission.domain.checks.proof import NO_CHECKS, Proof, unproved


def test_a_proof_survives_storage():
    proof = Proof(
        state=ProofState.ACCEPTED,
        tree="4b82",
        round_id="cr_1",
        checks=[{"name": "tests", "state": "failed"}],
        flags=["it changed the tests"],
        reason="known",
        by="operator",
    )

    assert Proof.from_dict(proof.as_dict()) == proof


def test_what_has_no_check_is_unproved_with_the_reason():
    assert unproved(NO_CHECKS) == Proof(state=ProofState.UNPROVED, reason=NO_CHECKS)
