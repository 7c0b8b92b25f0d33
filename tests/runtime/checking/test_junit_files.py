"""The reports that a check wrote: found by usual names or by a glob, bounded, and never outside of the tree."""

from __future__ import annotations

import os
import time
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from mission.domain.checks.junit import TestCounts
from mission.runtime.checking import junit_files
from mission.runtime.checking.junit_files import is_usual_report, junit_counts

REPORT = "<testsuite><testcase/><testcase><failure/></testcase></testsuite>"
ONE = TestCounts(run=2, failed=1)
PAST = 1_000_000.5


def write(path: Path, *, at: float | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(REPORT)
    if at is not None:
        os.utime(path, (at, at))
    return path


@pytest.mark.parametrize(
    "path",
    [
        "junit.xml",
        "reports/junit-unit.xml",
        "packages/a/junit_results.xml",
        "out/pytest-junit.xml",
        "target/surefire-reports/TEST-com.example.AppTest.xml",
        "app/build/test-results/test/TEST-AppTest.xml",
        "build/test-results/unit/results.xml",
        "test-results/results.xml",
    ],
)
def test_a_report_is_found_by_its_usual_name(tmp_path: Path, path: str):
    write(tmp_path / path)

    assert junit_counts(tmp_path, since=PAST) == ONE


@pytest.mark.parametrize(
    "path", ["pom.xml", "results.xml", "src/junit/config.xml", "junit.html", "node_modules/a/junit.xml"]
)
def test_other_files_are_not_read(tmp_path: Path, path: str):
    write(tmp_path / path)

    assert junit_counts(tmp_path, since=PAST) is None


def test_with_a_glob_only_what_matches_is_read(tmp_path: Path):
    write(tmp_path / "junit.xml")
    write(tmp_path / "out" / "a.xml")
    write(tmp_path / "out" / "b.xml")

    assert junit_counts(tmp_path, since=PAST, matches=lambda path: fnmatchcase(path, "out/*.xml")) == ONE + ONE


def test_reports_of_an_earlier_run_do_not_count(tmp_path: Path):
    write(tmp_path / "junit-old.xml", at=PAST - 1)
    write(tmp_path / "junit-new.xml", at=PAST + 0.25)

    assert junit_counts(tmp_path, since=PAST) == ONE


def test_where_times_are_whole_seconds_the_second_of_the_start_counts(tmp_path: Path):
    write(tmp_path / "junit.xml", at=int(PAST))

    assert junit_counts(tmp_path, since=PAST) == ONE
    assert junit_counts(tmp_path, since=PAST + 1) is None


def test_a_report_written_right_after_the_start_counts(tmp_path: Path):
    since = time.time()
    write(tmp_path / "junit.xml")

    assert junit_counts(tmp_path, since=since) == ONE


def test_no_link_is_followed_and_no_pipe_is_opened(tmp_path: Path):
    write(tmp_path / "outside" / "junit.xml")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "folder").symlink_to(tmp_path / "outside")
    (tree / "junit.xml").symlink_to(tmp_path / "outside" / "junit.xml")
    os.mkfifo(tree / "junit-pipe.xml")

    assert junit_counts(tree, since=PAST) is None


def test_the_search_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for number in range(10):
        write(tmp_path / f"folder{number}" / "junit.xml")
    write(tmp_path / "a/b/c/junit.xml")

    monkeypatch.setattr(junit_files, "MOST_REPORTS", 3)
    assert junit_counts(tmp_path, since=PAST) == ONE + ONE + ONE
    monkeypatch.setattr(junit_files, "MOST_REPORTS", 100)
    monkeypatch.setattr(junit_files, "MOST_FOLDERS", 3)  # the tree itself, a and folder0
    assert junit_counts(tmp_path, since=PAST) == ONE
    monkeypatch.setattr(junit_files, "MOST_FOLDERS", 100)
    monkeypatch.setattr(junit_files, "MOST_BYTES", 2 * len(REPORT))
    assert junit_counts(tmp_path, since=PAST) == ONE + ONE
    monkeypatch.setattr(junit_files, "MOST_BYTES", 100_000)
    monkeypatch.setattr(junit_files, "DEEPEST", 2)
    assert junit_counts(tmp_path, since=PAST) == TestCounts(run=20, failed=10)


def test_a_tree_that_is_gone_has_no_reports(tmp_path: Path):
    assert junit_counts(tmp_path / "nowhere", since=PAST) is None


def test_a_usual_name_is_recognized_at_any_depth():
    assert is_usual_report("a/b/c/TEST-x.xml")
    assert not is_usual_report("a/latest.xml")
