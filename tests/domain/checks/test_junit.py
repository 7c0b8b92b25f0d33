"""JUnit reports of several test runners, broken ones and hostile ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mission.domain.checks import junit
from mission.domain.checks.junit import TestCounts, count_all_tests, count_tests

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?>
<testsuites><testsuite name="pytest" errors="1" failures="1" skipped="1" tests="5">
<testcase classname="test_a" name="test_one" time="0.001" />
<testcase classname="test_a" name="test_two"><failure message="assert 1 == 2">def test_two...</failure></testcase>
<testcase classname="test_a" name="test_three"><skipped type="pytest.skip" message="later" /></testcase>
<testcase classname="test_a" name="test_four"><error message="setup failed">E</error></testcase>
<testcase classname="test_a" name="test_five"><system-out>failure error skipped</system-out></testcase>
</testsuite></testsuites>"""
SUREFIRE = b"""<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="com.example.AppTest" tests="3">
<properties><property name="java.version" value="21"/></properties>
<testcase name="a" classname="com.example.AppTest"/>
<testcase name="b" classname="com.example.AppTest"><flakyFailure message="once"/></testcase>
<testcase name="c" classname="com.example.AppTest"><failure/><rerunFailure/><error/></testcase>
</testsuite>"""
GOOGLE_TEST = b"""<testsuites tests="2"><testsuite name="S">
<testcase name="A" status="run" /><testcase name="B" status="notrun" /></testsuite></testsuites>"""
BOMB = b"""<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<testsuite><testcase name="&b;"/></testsuite>"""
EXTERNAL = b"""<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite><testcase/></testsuite>"""


@pytest.mark.parametrize(
    ("report", "counts"),
    [
        (PYTEST, TestCounts(run=4, failed=2, skipped=1)),
        (SUREFIRE, TestCounts(run=3, failed=1, skipped=0)),
        (GOOGLE_TEST, TestCounts(run=1, failed=0, skipped=1)),
        (b"<testsuites/>", TestCounts()),
        (
            '<?xml version="1.0" encoding="UTF-16"?><testsuite><testcase/></testsuite>'.encode("utf-16"),
            TestCounts(run=1),
        ),
    ],
)
def test_tests_that_ran_failed_and_were_skipped_are_counted(report: bytes, counts: TestCounts):
    assert count_tests(report) == counts


@pytest.mark.parametrize(
    "report",
    [
        b"",
        b"<testsuite>",
        b"<html><testsuite/></html>",
        b"<testsuite/><testsuite/>",
        b"\xff\xfe\x00",
        b'<?xml version="1.0" encoding="no-such-code"?><testsuite/>',
        b"<testsuite>" * 101 + b"</testsuite>" * 101,
        BOMB,
        EXTERNAL,
    ],
)
def test_what_is_not_a_harmless_report_has_no_counts(report: bytes):
    assert count_tests(report) is None


def test_a_report_that_is_too_large_is_not_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(junit, "LARGEST", len(PYTEST) - 1)

    assert count_tests(PYTEST) is None


def test_reports_are_added_up_and_those_that_cannot_be_read_are_left_out():
    assert count_all_tests([PYTEST, b"<broken", SUREFIRE]) == TestCounts(run=7, failed=3, skipped=1)
    assert count_all_tests([b"<broken"]) is None
    assert count_all_tests([]) is None


@given(st.binary(max_size=200), st.integers(0, len(PYTEST)))
def test_no_bytes_raise_an_error(noise: bytes, at: int):
    count_tests(noise)
    counts = count_tests(PYTEST[:at] + noise + PYTEST[at:])

    assert counts is None or counts.failed <= counts.run
