"""Reasons to look at a result: the task changed files that decide its checks."""

from __future__ import annotations

from mission.domain.checks import changed_tests
from mission.domain.checks.check import parse_check
from mission.domain.checks.junit import TestCounts

TESTS = parse_check({"run": "pytest", "tests": ["tests/**"]}, field="c")


def test_a_modified_or_deleted_test_and_its_configuration_are_named_and_a_new_test_is_not():
    found = changed_tests.find([TESTS], modified=["src/app.py", "pyproject.toml"], deleted=["tests/test_app.py"])

    assert found == ["pyproject.toml", "tests/test_app.py"]


def test_fewer_or_more_skipped_tests_are_a_reason_and_more_tests_are_not():
    before = TestCounts(run=10, failed=0, skipped=1)

    assert "2 fewer" in (changed_tests.fewer_tests("tests", before, TestCounts(run=8, failed=0, skipped=1)) or "")
    assert "3 more" in (changed_tests.fewer_tests("tests", before, TestCounts(run=10, failed=0, skipped=4)) or "")
    assert changed_tests.fewer_tests("tests", before, TestCounts(run=12, failed=0, skipped=1)) is None
    assert changed_tests.fewer_tests("tests", None, before) is None


def test_long_lists_are_cut():
    files = [f"tests/test_{number}.py" for number in range(9)]

    (reason,) = changed_tests.reasons(files, [None])

    assert reason.endswith("and 4 more")
    assert changed_tests.reasons([], [None]) == []
