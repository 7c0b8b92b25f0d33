"""The environment of a check: an allow-list, its own variables, and those of its worktree."""

from __future__ import annotations

from mission.domain.checks.environment import check_environment
from mission.domain.checks.slot import TreeSlot
from tests.domain.checks.rounds import NOW

WORKTREE = TreeSlot(host_id="h", path="/w", slot=2, port_base=20_420, name="mission_w_3k9x", used_at=NOW)


def test_a_check_sees_the_allowed_variables_its_own_and_those_of_its_worktree():
    daemon = {"PATH": "/daemon", "HOME": "/home/ada", "LC_ALL": "C.UTF-8", "TZ": "UTC", "EDITOR": "vi"}

    found = check_environment(daemon, path="/stored", env={"DEBUG": "1"}, task_id="t_0000000001", slot=WORKTREE)

    assert found == {
        "HOME": "/home/ada",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PATH": "/stored",
        "CI": "1",
        "DEBUG": "1",
        "MISSION_TASK_ID": "t_0000000001",
        "MISSION_SLOT": "2",
        "MISSION_PORT_BASE": "20420",
        "MISSION_NAME": "mission_w_3k9x",
    }


def test_no_token_key_or_setting_of_git_or_ours_is_passed_on():
    names = [
        "GITHUB_TOKEN",
        "ANTHROPIC_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "GIT_DIR",
        "GIT_SSH_COMMAND",
        "SSH_AUTH_SOCK",
    ]
    ours = ["MISSION_HOME", "MISSION_TOKEN", "OPEN_MISSION_MCP_TOKEN", "OPEN_MISSION_AGENT_EXECUTION_ID", "LD_PRELOAD"]

    found = check_environment(dict.fromkeys(names + ours, "x"), path="/bin", env={}, task_id=None, slot=None)

    assert found == {"PATH": "/bin", "CI": "1"}


def test_a_proxy_is_passed_on_unless_it_has_a_password():
    daemon = {"HTTPS_PROXY": "http://ada:pw@proxy:3128", "http_proxy": "http://proxy:3128", "no_proxy": "localhost"}

    found = check_environment(daemon, path="/bin", env={}, task_id=None, slot=None)

    assert found == {"PATH": "/bin", "CI": "1", "http_proxy": "http://proxy:3128", "no_proxy": "localhost"}


def test_a_check_may_replace_ordinary_variables_but_none_of_ours():
    env = {"CI": "", "HOME": "/tmp/x", "MISSION_TASK_ID": "t_9", "mission_slot": "7", "OPEN_MISSION_EVIDENCE_ID": "x"}

    found = check_environment({"HOME": "/root"}, path="/bin", env=env, task_id="t_1", slot=None)

    assert found == {"PATH": "/bin", "CI": "", "HOME": "/tmp/x", "MISSION_TASK_ID": "t_1"}


def test_without_a_stored_path_the_daemon_s_is_used_and_without_that_a_default():
    assert check_environment({"PATH": "/daemon"}, path=None, env={}, task_id=None, slot=None)["PATH"] == "/daemon"
    assert check_environment({}, path="", env={}, task_id=None, slot=None)["PATH"] == "/usr/local/bin:/usr/bin:/bin"
