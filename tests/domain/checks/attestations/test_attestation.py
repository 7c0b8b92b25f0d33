"""Evidence as in-toto Statements: subjects, results, and what is refused when one is read."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks.attestations.attestation import (
    PAYLOAD_TYPE,
    STATEMENT_TYPE,
    TEST_RESULT,
    AttestedEvidence,
    build_statements,
    read_result,
    unsigned_envelope,
)
from mission.domain.checks.attestations.envelope import Envelope
from mission.domain.errors import InvalidInput

START = datetime(2026, 1, 15, 10, tzinfo=UTC)
TREE, COMMIT = "a" * 40, "c" * 40


def evidence(number=1, **values):
    return AttestedEvidence(
        **{
            "id": f"ev_{number:010}",
            "task_id": "t_0000000001",
            "task_name": "Add a flag",
            "check": "pytest",
            "kind": "run",
            "text": "pytest -q",
            "definition": "d" * 64,
            "state": "passed",
            "tree": TREE,
            "started_at": START + timedelta(seconds=number),
            "ended_at": START + timedelta(seconds=number + 0.5),
            "seconds": 0.5,
            **values,
        }
    )


def statements(*records):
    return build_statements(records, mission_id="m_0000000001", mission_name="Flags")


def predicate(*records):
    [statement] = statements(*records)
    return statement["predicate"]


def test_a_statement_has_the_tree_and_its_commit_as_subjects():
    assert statements(evidence(commit=COMMIT, tests_run=3, tests_failed=0, tests_skipped=1)) == [
        {
            "_type": STATEMENT_TYPE,
            "subject": [
                {"name": "tree", "digest": {"gitTree": TREE}},
                {"name": "commit", "digest": {"gitCommit": COMMIT}},
            ],
            "predicateType": TEST_RESULT,
            "predicate": {
                "result": "PASSED",
                "configuration": [
                    {
                        "name": "pytest",
                        "digest": {"sha256": "d" * 64},
                        "annotations": {"kind": "run", "text": "pytest -q", "required": True},
                    }
                ],
                "passedTests": ["pytest"],
                "warnedTests": [],
                "failedTests": [],
                "missionControl": {
                    "mission": {"id": "m_0000000001", "name": "Flags"},
                    "evidence": [
                        {
                            "id": "ev_0000000001",
                            "task": {"id": "t_0000000001", "name": "Add a flag"},
                            "check": "pytest",
                            "definition": "d" * 64,
                            "state": "passed",
                            "place": "task",
                            "flaky": False,
                            "startedAt": "2026-01-15T10:00:01Z",
                            "endedAt": "2026-01-15T10:00:01.500000Z",
                            "seconds": 0.5,
                            "tests": {"run": 3, "failed": 0, "skipped": 1},
                        }
                    ],
                },
            },
        }
    ]


@pytest.mark.parametrize(
    ("values", "subject"),
    [
        ({"tree": "a" * 64}, {"name": "tree", "digest": {"gitTree": "a" * 64}}),
        ({"tree": "b" * 64, "is_folder": True}, {"name": "folder", "digest": {"missionFolderSha256": "b" * 64}}),
    ],
)
def test_other_trees_have_digests_of_their_own_names(values, subject):
    assert statements(evidence(**values))[0]["subject"] == [subject]


def test_each_tree_has_its_own_statement_in_the_order_of_time():
    found = statements(evidence(3, tree="b" * 40, state="failed"), evidence(1), evidence(2, check="ruff"))

    assert [(each["subject"][0]["digest"]["gitTree"], each["predicate"]["result"]) for each in found] == [
        (TREE, "PASSED"),
        ("b" * 40, "FAILED"),
    ]
    assert found[0]["predicate"]["passedTests"] == ["pytest", "ruff"]
    assert statements() == []


def test_a_tree_that_several_commits_have_names_them_all_once():
    subjects = statements(evidence(1, commit="1" * 40), evidence(2, commit="2" * 40), evidence(3, commit="1" * 40))[0][
        "subject"
    ]

    assert [each["digest"] for each in subjects[1:]] == [{"gitCommit": "1" * 40}, {"gitCommit": "2" * 40}]
    assert all("name" not in each for each in subjects[1:])


@pytest.mark.parametrize("state", ["failed", "error", "lost", "void", "running"])
def test_only_passed_counts_as_passed(state):
    found = predicate(evidence(1, check="ruff"), evidence(2, state=state))

    assert (found["result"], found["passedTests"], found["failedTests"]) == ("FAILED", ["ruff"], ["pytest"])


def test_an_optional_failure_and_a_flaky_check_are_warnings():
    optional = predicate(evidence(1, check="ruff"), evidence(2, state="failed", required=False))
    flaky = predicate(evidence(1, flaky=True))

    assert (optional["result"], optional["failedTests"]) == ("WARNED", ["pytest"])
    assert (flaky["result"], flaky["warnedTests"], flaky["passedTests"]) == ("WARNED", ["pytest"], [])


def test_the_last_run_on_a_tree_counts_and_a_failure_before_it_is_a_warning():
    failed, passed = evidence(1, state="failed"), evidence(2)

    assert predicate(failed, passed)["warnedTests"] == ["pytest"]
    assert predicate(evidence(1, state="error"), passed)["result"] == "PASSED"
    assert predicate(evidence(1), evidence(2, state="failed"))["result"] == "FAILED"


def test_a_failure_in_one_place_or_task_is_not_hidden_by_another():
    assert predicate(evidence(1, state="failed"), evidence(2, place="fresh"))["failedTests"] == ["pytest"]
    assert predicate(evidence(1, state="failed"), evidence(2, task_id="t_0000000002"))["result"] == "FAILED"


RECORDS = st.lists(
    st.builds(
        evidence,
        st.integers(1, 50),
        check=st.sampled_from(["a", "b"]),
        state=st.sampled_from(["passed", "failed", "error", "void", "lost"]),
        required=st.booleans(),
        flaky=st.booleans(),
        tree=st.sampled_from(["a" * 40, "b" * 40]),
        place=st.sampled_from(["task", "merge"]),
        task_name=st.text(),
    ),
    min_size=1,
    max_size=8,
)


@given(RECORDS)
def test_no_statement_says_passed_without_passing_evidence_for_its_tree(records):
    for statement in statements(*records):
        tree = statement["subject"][0]["digest"]["gitTree"]
        said = statement["predicate"]
        ended = {each.check for each in records if each.tree == tree}
        passed = {each.check for each in records if each.tree == tree and each.state == "passed"}

        assert set(said["passedTests"]) | set(said["warnedTests"]) <= passed
        assert sorted([*said["passedTests"], *said["warnedTests"], *said["failedTests"]]) == sorted(ended)
        if said["result"] == "PASSED":
            assert said["failedTests"] == said["warnedTests"] == []


@given(RECORDS)
def test_what_is_built_is_read_and_always_has_the_same_bytes(records):
    for statement, again in zip(statements(*records), statements(*reversed(records)), strict=True):
        result = read_result(unsigned_envelope(statement))

        assert result.statement == statement
        assert (result.result, list(result.failed)) == (
            statement["predicate"]["result"],
            statement["predicate"]["failedTests"],
        )
        if len({each.id for each in records}) == len(records):
            assert unsigned_envelope(statement) == unsigned_envelope(again)


VALID = unsigned_envelope(statements(evidence())[0])


def changed(**values):
    return replace(VALID, payload=json.dumps({**json.loads(VALID.payload), **values}).encode())


@pytest.mark.parametrize(
    ("envelope", "why"),
    [
        (replace(VALID, payload_type="text/plain"), "text/plain"),
        (replace(VALID, payload=b"\xff"), "not valid JSON"),
        (replace(VALID, payload=b"[" * 100_000), "not valid JSON"),
        (replace(VALID, payload=b"[]"), "Statement"),
        (changed(_type="https://in-toto.io/Statement/v0.1"), "Statement"),
        (changed(predicateType="https://slsa.dev/provenance/v1"), "slsa.dev"),
        (changed(subject=[]), "subject"),
        (changed(subject=[{"name": "x"}]), "digest"),
        (changed(subject=[{"digest": {"gitTree": 5}}]), "digest"),
        (changed(predicate={"result": "FINE"}), "result"),
        (changed(predicate=None), "result"),
        (changed(predicate={"result": "PASSED", "passedTests": "x"}), "passedTests"),
        (changed(predicate={"result": "PASSED", "failedTests": [1]}), "failedTests"),
    ],
)
def test_anything_else_than_a_test_result_is_refused_with_the_reason(envelope, why):
    with pytest.raises(InvalidInput, match="not a test result") as refused:
        read_result(envelope)

    assert why in refused.value.message
    assert TEST_RESULT in refused.value.hint


def test_fields_that_may_be_absent_are_absent():
    result = read_result(changed(predicate={"result": "PASSED", "configuration": []}))

    assert (result.passed, result.warned, result.failed) == ([], [], [])
    assert Envelope(payload=b"", payload_type=PAYLOAD_TYPE).signatures == ()
