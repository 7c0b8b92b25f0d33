"""Finds the JUnit reports that a check wrote, and counts their tests."""

from __future__ import annotations

import os
import re
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from mission.domain.checks.junit import LARGEST, TestCounts, count_all_tests
from mission.git.safe_reading import read

MOST_FOLDERS = 2_000
MOST_REPORTS = 1_000
MOST_BYTES = 64 * 1024 * 1024
DEEPEST = 12
CLOCK_SECONDS = 0.02
"""A file's modification time may be slightly behind the clock."""
NOT_SEARCHED = frozenset(
    {
        *(".git", ".hg", ".svn", "node_modules", ".venv", "venv", "site-packages", "__pycache__", ".tox", ".nox"),
        *(".cache", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".gradle", ".idea", ".cargo"),
    }
)
_BY_NAME = re.compile(r"(?:junit[^/]*|[^/]*[-_.]junit|TEST-[^/]*)\.xml")
_BY_FOLDER = re.compile(
    r"(?:.*/)?(?:surefire-reports|failsafe-reports|test-results|test-reports|junit-reports?)/(?:[^/]+/)?[^/]+\.xml"
)

Matches = Callable[[str], bool]


def junit_counts(directory: Path, *, since: float, matches: Matches | None = None) -> TestCounts | None:
    """Return the tests in the reports written since a Unix time, or None without a readable report.

    `matches` selects by path from the directory; without it, reports are found by their usual names.
    """
    return count_all_tests(_reports(directory, since, matches or is_usual_report))


def is_usual_report(path: str) -> bool:
    """Return whether test runners usually give this name to a JUnit report."""
    return _BY_NAME.fullmatch(path.rpartition("/")[2]) is not None or _BY_FOLDER.fullmatch(path) is not None


def _reports(directory: Path, since: float, matches: Matches) -> Iterator[bytes]:
    reports, left = 0, MOST_BYTES
    for path, status in _files(directory, matches):
        if not _is_written_since(status, since) or status.st_size > min(LARGEST, left):
            continue
        try:
            content = read(directory, path, limit=min(LARGEST, left))
        except OSError:  # a link or a pipe, or removed
            continue
        yield content
        reports, left = reports + 1, left - len(content)
        if reports == MOST_REPORTS:
            return


def _files(directory: Path, matches: Matches) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the matching files, those in upper folders first; links are not followed."""
    folders = deque([("", 0)])
    for _ in range(MOST_FOLDERS):
        if not folders:
            return
        folder, depth = folders.popleft()
        for entry in _entries(directory / folder):
            path = f"{folder}{entry.name}"
            try:
                if entry.is_dir(follow_symlinks=False):
                    if depth < DEEPEST and entry.name not in NOT_SEARCHED:
                        folders.append((f"{path}/", depth + 1))
                elif matches(path):
                    yield path, entry.stat(follow_symlinks=False)
            except OSError:
                continue


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _is_written_since(status: os.stat_result, since: float) -> bool:
    if status.st_mtime_ns % 1_000_000_000 == 0:  # a file system that stores whole seconds
        return status.st_mtime >= int(since)
    return status.st_mtime >= since - CLOCK_SECONDS
