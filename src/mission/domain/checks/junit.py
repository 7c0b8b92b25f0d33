"""JUnit XML: how many tests ran, failed and were skipped."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar
from xml.parsers import expat

LARGEST = 32 * 1024 * 1024
DEEPEST = 100
_ROOTS = ("testsuites", "testsuite")
_FAILURES = ("failure", "error")
_NOT_RUN = ("notrun", "disabled")


@dataclass(frozen=True, kw_only=True, slots=True)
class TestCounts:
    """The tests of one or more reports. A skipped test did not run; a test that had an error failed."""

    __test__: ClassVar[bool] = False  # not for pytest

    run: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: TestCounts) -> TestCounts:
        return TestCounts(
            run=self.run + other.run, failed=self.failed + other.failed, skipped=self.skipped + other.skipped
        )


def count_tests(report: bytes) -> TestCounts | None:
    """Return the tests in a report, or None if it is not JUnit XML, has a DTD, or is too large."""
    if len(report) > LARGEST:
        return None
    reader = _Reader()
    try:
        reader.parser.Parse(report, True)
    except (_Refused, expat.ExpatError, ValueError, LookupError):  # the last two: an unknown encoding
        return None
    return TestCounts(run=reader.run, failed=reader.failed, skipped=reader.skipped)


def count_all_tests(reports: Iterable[bytes]) -> TestCounts | None:
    """Return the tests in all reports together, or None if none of them can be read."""
    found = [counts for report in reports if (counts := count_tests(report)) is not None]
    return sum(found, TestCounts()) if found else None


class _Refused(Exception):
    """The document is not a JUnit report, or not a harmless one."""


class _Reader:
    """Counts tests while the document is read, and keeps nothing else."""

    def __init__(self) -> None:
        self.parser = expat.ParserCreate()
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartDoctypeDeclHandler = _refuse  # entities can grow without limit or name other files
        self.parser.EntityDeclHandler = _refuse
        self.parser.ExternalEntityRefHandler = _refuse
        self.run = self.failed = self.skipped = 0
        self._open: list[str] = []
        self._outcome: str | None = None

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(":")[2]
        if (not self._open and name not in _ROOTS) or len(self._open) >= DEEPEST:
            raise _Refused
        parent = self._open[-1] if self._open else None
        self._open.append(name)
        if name == "testcase":
            self._outcome = "skipped" if attributes.get("status", "").lower() in _NOT_RUN else "run"
        elif parent == "testcase" and name in _FAILURES:
            self._outcome = "failed"
        elif parent == "testcase" and name == "skipped" and self._outcome == "run":
            self._outcome = "skipped"

    def _end(self, _: str) -> None:
        if self._open.pop() == "testcase":
            self.run += self._outcome != "skipped"
            self.failed += self._outcome == "failed"
            self.skipped += self._outcome == "skipped"


def _refuse(*_: object) -> int:
    raise _Refused
