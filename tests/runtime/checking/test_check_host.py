"""What this machine offers to checks."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from mission.domain.checks.junit import TestCounts
from mission.domain.checks.slot import TreeSlot
from mission.runtime.checking.check_host import LocalCheckHost

SLOT = TreeSlot(host_id="h", path="/w", slot=3, port_base=20_030, name="m_w", used_at=datetime(2026, 5, 1, tzinfo=UTC))
REPORT = "<testsuite><testcase/><testcase><failure/></testcase><testcase><skipped/></testcase></testsuite>"


def test_a_check_sees_its_slot_and_no_token(monkeypatch):
    monkeypatch.setenv("MISSION_TOKEN", "secret")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "secret")

    found = LocalCheckHost().environment(path="/stored/bin", variables={"DEBUG": "1"}, task_id="t_1", slot=SLOT)

    assert "secret" not in found.values()
    wanted = {"PATH": "/stored/bin", "CI": "1", "DEBUG": "1", "MISSION_TASK_ID": "t_1", "MISSION_PORT_BASE": "20030"}
    assert wanted.items() <= found.items()


def test_tests_are_counted_where_the_check_says_or_where_reports_usually_are(tmp_path):
    since = time.time() - 5
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.xml").write_text(REPORT)
    host = LocalCheckHost()

    assert host.count_tests(tmp_path, glob=None, since=since) is None
    assert host.count_tests(tmp_path, glob="out/*.xml", since=since) == TestCounts(run=2, failed=1, skipped=1)
    assert host.count_tests(tmp_path, glob="out/*.xml", since=time.time() + 5) is None

    (tmp_path / "junit.xml").write_text(REPORT)
    assert host.count_tests(tmp_path, glob=None, since=since) == TestCounts(run=2, failed=1, skipped=1)
