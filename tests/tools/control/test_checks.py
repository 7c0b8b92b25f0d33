"""The tools for checks: hostile definitions and commands, suggestions, and every dialect's way through the gate."""

from __future__ import annotations

import json
import socket
import subprocess

import pytest

from mission.domain.errors import ChecksFailed, InvalidInput, MissionError, PermissionDenied
from tests.checked_tasks import checked as checked
from tests.checked_tasks import is_alive
from tests.checked_tasks import signals as signals
from tests.tools.conftest import planned

WRONG = "! grep -q wrong src/new.py"


@pytest.fixture
def small_disk(tmp_path):
    """The repository's disk, which is soon full."""
    top = tmp_path / "repository"
    top.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "none", top], capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a file system")
    yield
    subprocess.run(["umount", "-l", top], check=True)


@pytest.mark.parametrize(
    ("check", "words"),
    [
        ("", "must be non-empty text"),
        ("   ", "must be non-empty text"),
        ("echo \0", "NUL"),
        ({"run": "a\0b"}, "NUL"),
        ({"run": "x" * 10_001}, "too long"),
        ({"run": "a", "changed": ["b"]}, "exactly one"),
        ({"name": "nothing"}, "exactly one"),
        ({"lint": "a"}, "no field 'lint'"),
        ({"changed": []}, "is empty"),
        ({"changed": [""]}, "changed"),
        ({"changed": ["/abs/**"]}, "changed"),
        ({"untouched": ["a/../b"]}, "untouched"),
        ({"run": "a", "seconds": 0}, "must be from 1"),
        ({"run": "a", "seconds": True}, "must be a number"),
        ({"run": "a", "seconds": 1e9}, "must be from 1"),
        ({"run": "a", "retries": 1.5}, "must be a number"),
        ({"run": "a", "retries": 99}, "must be from 0"),
        ({"run": "a", "required": "yes"}, "true or false"),
        ({"run": "a", "before": "maybe"}, "'any' or 'fail'"),
        ({"run": "a", "before": "fail"}, "requires 'run' and 'tests'"),
        ({"run": "a", "env": {"A=B": "x"}}, "cannot set"),
        ({"run": "a", "env": {"MISSION_TOKEN": "x"}}, "cannot set"),
        ({"run": "a", "env": {"A": "x\0"}}, "NUL"),
        ({"run": "a", "env": ["A"]}, "must be an object"),
        ({"run": "a", "uses": [""]}, "contains an invalid name"),
        ({"run": "a", "name": "two\nlines"}, "printable"),
        ({"run": "a", "name": "x" * 101}, "too long"),
        (7, "checks"),
        ([], "checks"),
    ],
)
async def test_a_wrong_check_is_refused_with_its_field(checked, check, words):
    with pytest.raises(InvalidInput) as raised:
        await checked.check(check)

    assert words in raised.value.message
    assert "checks" in raised.value.details["field"]
    assert raised.value.hint


async def test_a_thousand_checks_are_too_many(checked):
    with pytest.raises(InvalidInput, match="limit 100"):
        await checked.check(*(f"true {number}" for number in range(1_000)))


async def test_a_hundred_globs_are_checked_at_once(checked):
    await checked.check(*({"name": f"c{number}", "changed": ["src/**"]} for number in range(100)))

    done = await checked.report(await checked.started())

    assert (done["evidence"]["state"], len(done["evidence"]["checks"])) == ("proved", 100)


async def test_two_checks_of_one_name_are_refused(checked):
    with pytest.raises(InvalidInput, match="two checks are named 'make'"):
        await checked.check({"name": "make", "run": "a"}, {"name": "make", "run": "b"})


async def test_a_plain_text_is_a_required_command_named_by_its_first_words(checked):
    found = await checked.check("python -m pytest -q tests/unit --maxfail 1")

    (check,) = found["checks"]
    assert (check["name"], check["kind"], check["required"]) == ("python -m pytest -q", "run", True)
    assert check["definition"]["run"] == "python -m pytest -q tests/unit --maxfail 1"


async def test_an_id_or_a_path_is_needed(checked):
    with pytest.raises(InvalidInput, match="id of the mission is missing"):
        await checked.call("checks_set", {"scope": "mission", "checks": ["true"]})


@pytest.mark.parametrize("tool", ["checks_suggest", "task_accept"])
async def test_what_only_a_person_may_do_is_refused_for_agents(checked, make_agent, repository, tool):
    ada = await make_agent("ada", role="coordinator")
    given = {
        "checks_suggest": {"repository_path": str(repository)},
        "task_accept": {"task_id": await checked.start(), "reason": "x"},
    }[tool]

    with pytest.raises(PermissionDenied):
        await checked.call(tool, given, agent=ada)


async def test_suggestions_are_run_once_and_say_which_pass_today(checked, repository, tmp_path):
    (repository / "Makefile").write_text("test:\n\t@echo fine\nlint:\n\t@echo broken; exit 1\n")

    found = await checked.call("checks_suggest", {"repository_path": str(repository)})

    states = {each["run"]: each["state"] for each in found["checks"]}
    assert (states["make test"], states["make lint"]) == ("passed", "failed")
    assert all(each["seconds"] is not None for each in found["checks"])
    assert "broken" in next(each["output"] for each in found["checks"] if each["run"] == "make lint")
    await checked.check(*(each["definition"] for each in found["checks"]))


async def test_suggestions_come_from_all_files_that_describe_a_project(checked, repository):
    for name, text in {
        "pyproject.toml": "[tool.ruff]\n",
        "package.json": '{"scripts": {"test": "node --test"}}',
        "Makefile": "check:\n\t@true\n",
        "Cargo.toml": '[package]\nname = "a"\n',
        "go.mod": "module a\n",
        ".github/workflows/ci.yml": "jobs:\n  a:\n    steps:\n      - run: shellcheck run.sh\n",
    }.items():
        checked.write(name, text)

    found = await checked.call("checks_suggest", {"repository_path": str(repository), "run": False})

    assert {"ruff check .", "npm test", "make check", "cargo test", "go test ./...", "shellcheck run.sh"} <= {
        each["run"] for each in found["checks"]
    }


async def test_suggestions_are_read_without_running_anything_if_asked(checked, repository, signals):
    (repository / "Makefile").write_text(f"test:\n\t{signals.note('runs')}\n")

    found = await checked.call("checks_suggest", {"repository_path": str(repository), "run": False})

    assert [each["state"] for each in found["checks"]] == [None]
    assert signals.notes("runs") == []


async def test_a_command_that_hangs_is_ended_after_its_time_and_fails(checked, signals):
    run = f"test ! -f src/new.py || {{ echo $$ > {signals.path('pid')}; trap '' TERM; sleep 1000 & wait; sleep 1000; }}"
    await checked.check({"name": "hangs", "run": run, "seconds": 1})
    task = await checked.started()

    error = await checked.refused(task)

    (failed,) = error["details"]["checks"]
    assert (error["code"], failed["timed_out"]) == ("CHECKS_FAILED", True)
    assert not is_alive(int(signals.notes("pid")[0]))


FORK_TWICE = (
    "import os, sys; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execvp('sh', sys.argv[1:])"
)


@pytest.mark.parametrize("start", ["setsid", f'python3 -c "{FORK_TWICE}"'], ids=["setsid", "double fork"])
async def test_what_a_command_leaves_running_is_ended_with_it(checked, signals, start):
    daemon = f"({start} sh -c 'echo $$ > {signals.path('pid')}; exec sleep 1000' >/dev/null 2>&1 &)"
    await checked.check(f"{daemon}; while ! test -s {signals.path('pid')}; do :; done")

    done = await checked.report(await checked.started())

    assert done["evidence"]["state"] == "proved"
    assert not is_alive(int(signals.notes("pid")[0]))


async def test_a_command_that_prints_200_mb_keeps_its_end(checked):
    await checked.check("yes | head -c 200000000; echo the end")

    task = await checked.started()
    done = await checked.report(task)

    id = done["evidence"]["checks"][0]["evidence_id"]
    found = await checked.call("evidence_get", {"id": id})
    whole = await checked.call("evidence_output", {"id": id})
    assert (done["evidence"]["state"], found["output_bytes"]) == ("proved", 200_000_008)
    assert (len(found["output"]) <= 4_000, found["output"].endswith("the end\n")) == (True, True)
    assert len(whole["text"]) < 3 * 2**20


async def test_a_command_that_fills_the_disk_could_not_run_and_is_no_failure(small_disk, checked):
    await checked.check({"name": "big", "run": "test ! -f src/new.py || cat /dev/zero > big.o"})
    task = await checked.started()

    error = await checked.refused(task)

    assert (error["code"], "no space left" in error["details"]["checks"][0]["reason"]) == ("CHECKS_ERROR", True)
    (checked.repository / "big.o").unlink()
    assert (await checked.row(task)).proof_state is None
    assert [item["subject"] for item in await checked.items("checks")] == [
        "Check 'big' cannot run: there is no space left on the disk it writes to"
    ]


async def test_a_port_that_is_taken_is_a_failure_like_any_other(checked):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        bind = f"import socket; socket.socket().bind(('127.0.0.1', {port}))"
        await checked.check({"name": "server", "run": f'test ! -f src/new.py || python3 -c "{bind}"'})

        error = await checked.refused(await checked.started())

    assert "in use" in error["details"]["checks"][0]["output"]


async def test_its_own_ports_are_free(checked):
    bind = (
        "import os, socket; [socket.socket().bind(('', int(os.environ['MISSION_PORT_BASE']) + n)) for n in range(10)]"
    )
    await checked.check({"name": "server", "run": f'python3 -c "{bind}"'})

    assert (await checked.report(await checked.started()))["evidence"]["state"] == "proved"


async def test_a_command_that_is_killed_is_a_failure(checked):
    await checked.check({"name": "dies", "run": "test ! -f src/new.py || kill -9 $$"})

    error = await checked.refused(await checked.started())

    assert "KILL" in error["details"]["checks"][0]["reason"]


async def test_a_command_without_stdin_reads_nothing(checked):
    await checked.check('test -z "$(cat)"')

    assert (await checked.report(await checked.started()))["evidence"]["state"] == "proved"


async def test_output_that_is_no_text_is_shown_as_text(checked):
    await checked.check({"name": "bytes", "run": "test ! -f src/new.py || { printf '\\377\\000\\033[31mx'; exit 1; }"})

    error = await checked.refused(await checked.started())

    assert "x" in error["details"]["checks"][0]["output"]
    json.dumps(error)


async def test_a_lone_surrogate_is_no_command(checked):
    with pytest.raises(MissionError):
        await checked.check("echo \ud800")


async def test_the_workflow_dialect_completes_through_the_gate(checked, make_agent, repository):
    ada = await make_agent("ada")
    task = await _planned(checked, ada)
    checked.write("src/new.py", "wrong\n")

    with pytest.raises(ChecksFailed):
        await checked.call(
            "task_update_status", {"id": task, "status": "completed", "outcome": "done", "agent_id": ada}
        )

    assert str((await checked.row(task)).status) == "in_progress"
    checked.write("src/new.py", "right\n")
    await checked.call("task_update_status", {"id": task, "status": "completed", "outcome": "done", "agent_id": ada})
    assert (await checked.row(task)).proof_state == "proved"


async def test_the_crew_dialect_completes_through_the_gate(checked, make_agent):
    ada = await make_agent("ada")
    task = await _planned(checked, ada)
    checked.write("src/new.py", "wrong\n")

    with pytest.raises(ChecksFailed):
        await checked.call("mcp__task__update_status", {"taskId": task, "status": "COMPLETED"}, agent=ada)

    checked.write("src/new.py", "right\n")
    await checked.call("mcp__task__update_status", {"taskId": task, "status": "COMPLETED"}, agent=ada)
    assert (await checked.row(task)).proof_state == "proved"


async def test_a_mission_is_not_completed_while_a_task_is_checking(checked, signals):
    await checked.check({"name": "slow", "run": signals.pause("slow")})
    task = await checked.started()
    checked.wait_at_most(0.05)
    await checked.report(task)

    with pytest.raises(MissionError):
        await checked.call("complete_mission", {"mission_id": checked.id, "status": "completed", "summary": "s"})

    await signals.reached("slow")
    await signals.let_through("slow")
    await checked.until_status(task, "completed")


async def test_a_checking_task_frees_its_dependents_only_when_it_is_completed(checked, signals, make_agent):
    ada = await make_agent("ada")
    task = await _planned(checked, ada, checks=[{"name": "slow", "run": signals.pause("slow")}])
    checked.write("src/new.py")
    checked.wait_at_most(0.05)
    await checked.report(task, agent_id=ada)
    bob = await make_agent("bob")

    assert (await checked.call("task_claim_next", {"agent_id": bob}))["task"] is None
    await signals.reached("slow")
    await signals.let_through("slow")
    await checked.until_status(task, "completed")
    assert (await checked.call("task_claim_next", {"agent_id": bob}))["task"]["name"] == "after"


async def _planned(checked, agent, *, checks=(WRONG,)):
    """Plan a workflow in the repository and start its first task as the agent."""
    new = {"name": "W", "source_type": "prompt", "source_content": "x", "checks": list(checks)}
    mission = (await checked.call("workflow_create", {**new, "repository_path": str(checked.repository)}))["id"]
    plan = {"summary": "s", "approach": "a", "tasks": [planned("first"), planned("after", after=["first"])]}
    await checked.call("workflow_set_plan", {"id": mission, "plan": plan})
    found = await checked.call("workflow_get", {"id": mission, "include_tasks": True})
    task = next(each["id"] for each in found["tasks"] if each["name"] == "first")
    await checked.call("start_task", {"task_id": task, "agent_id": agent, "repository_path": str(checked.repository)})
    return task
