"""Reasons to look at a result even though its checks passed: the task changed files that decide them."""

from __future__ import annotations

from collections.abc import Sequence

from mission.domain.checks.check import Check
from mission.domain.checks.file_patterns.globs import compile_globs
from mission.domain.checks.file_patterns.judging_files import judging_files
from mission.domain.checks.junit import TestCounts

MAX_NAMED = 5


def find(checks: Sequence[Check], *, modified: Sequence[str], deleted: Sequence[str]) -> list[str]:
    """Return the modified or deleted files that decide the checks; a new test does not count."""
    globs = sorted({glob for check in checks for glob in check.tests})
    touched = [*modified, *deleted]
    tests = compile_globs(globs).select(touched) if globs else []
    return sorted({*tests, *judging_files(touched)})


def fewer_tests(name: str, before: TestCounts | None, after: TestCounts | None) -> str | None:
    """Return a reason if a check ran fewer tests, or skipped more, than on the start tree."""
    if before is None or after is None:
        return None
    if after.run < before.run:
        return f"{name} ran {after.run} tests, {before.run - after.run} fewer than before the change"
    if after.skipped > before.skipped:
        return f"{name} skipped {after.skipped} tests, {after.skipped - before.skipped} more than before the change"
    return None


def reasons(files: Sequence[str], counts: Sequence[str | None]) -> list[str]:
    """Return the reasons as sentences."""
    named = ", ".join(files[:MAX_NAMED]) + (f" and {len(files) - MAX_NAMED} more" if len(files) > MAX_NAMED else "")
    changed = [f"the agent changed files that its work is judged by: {named}"] if files else []
    return [*changed, *(each for each in counts if each is not None)]
