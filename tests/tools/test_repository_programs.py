"""No program that a repository's configuration, attributes or hooks name is run, whichever tool looks at it."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from mission.app import App
from mission.domain.errors import MissionError
from mission.settings import Settings
from tests.conftest import Front

WORDS = re.compile(
    r"\.(cmd|command|program|driver|textconv|clean|smudge|process|editor|pager|helper|askpass|sshcommand|gitproxy"
    r"|external|difffilter|packobjectshook|uploadpack|receivepack|vcs|browser|tunnel|defaultkeycommand|fsmonitor"
    r"|alternaterefscommand|sendmailcmd|tocmd|cccmd|path)$"
)
"""Ends of keys whose value is a program, or may lead to one."""
NO_PROGRAMS = ("advice.", "color.", "column.", "fsck.", "http.", "include", "receive.")
KNOWN = (
    "alias.<name>", "browser.<tool>.cmd", "browser.<tool>.path", "core.alternateRefsCommand", "core.askPass",
    "core.editor", "core.fsmonitor", "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper",
    "credential.<url>.helper", "diff.external", "diff.guitool", "diff.tool", "diff.<driver>.command",
    "diff.<driver>.textconv", "difftool.<tool>.cmd", "difftool.<tool>.path", "filter.<driver>.clean",
    "filter.<driver>.process", "filter.<driver>.smudge", "gpg.<format>.program", "gpg.program",
    "gpg.ssh.defaultKeyCommand", "gpg.ssh.program", "gpg.x509.program", "guitool.<name>.cmd", "help.browser",
    "imap.tunnel", "instaweb.browser", "instaweb.httpd", "interactive.diffFilter", "man.<tool>.cmd", "man.<tool>.path",
    "merge.<driver>.driver", "mergetool.<tool>.cmd", "mergetool.<tool>.path", "pager.<cmd>", "pager.diff", "pager.log",
    "pager.status", "remote.<name>.receivepack", "remote.<name>.uploadpack", "sendemail.ccCmd", "sendemail.sendmailCmd",
    "sendemail.smtpServer", "sendemail.toCmd", "sequence.editor", "tar.<format>.command", "trailer.<token>.cmd",
    "trailer.<token>.command", "uploadpack.packObjectsHook", "web.browser",
)  # fmt: skip
SWITCHES = {
    "log.showSignature": "true",
    "diff.submodule": "diff",
    "diff.ignoreSubmodules": "none",
    "submodule.recurse": "true",
    "status.submoduleSummary": "true",
    "commit.gpgSign": "true",
    "tag.gpgSign": "true",
    "gpg.format": "openpgp",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "filter.evil.required": "true",
    "filter.x=y.required": "true",
    "core.fsmonitorHookVersion": "2",
    "diff.evil.cachetextconv": "false",
    "extensions.worktreeConfig": "true",
    "gc.auto": "1",
    "maintenance.auto": "true",
    "merge.tool": "evil",
    "core.commitGraph": "true",
}
"""What makes git reach for a program sooner."""
DRIVERS = ("evil", "x=y", "a.b", "with space", "Ünïcode", "")
HOOKS = (
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update",
    "proc-receive", "post-receive", "post-update", "reference-transaction", "push-to-checkout", "pre-auto-gc",
    "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change",
)  # fmt: skip
ATTRIBUTES = """\
* diff=evil merge=evil filter=evil
*.md filter=x=y diff=x=y
*.txt filter=a.b
*.cfg filter=
"""
LAUNCH = "execution_launch"


class Trap:
    """Programs that tell that they were run, and configurations that name them."""

    def __init__(self, folder: Path, git) -> None:
        self.folder = folder
        self.trace = folder / "ran"
        self.git = git
        self.count = 0
        folder.mkdir()

    def program(self, why: str) -> str:
        self.count += 1
        path = self.folder / f"program-{self.count}"
        path.write_text(f"#!/bin/sh\necho '{why}' >> '{self.trace}'\ncat\n")
        path.chmod(0o755)
        return str(path)

    @property
    def ran(self) -> list[str]:
        return sorted(set(self.trace.read_text().splitlines())) if self.trace.exists() else []

    def keys(self) -> list[str]:
        """Every key that can name a program: those we know of, and those that the installed git documents."""
        said = subprocess.run(["git", "help", "--config"], capture_output=True, text=True, check=True).stdout
        documented = [key for key in said.splitlines() if WORDS.search(key.lower())]
        asked = {key for key in (*KNOWN, *documented) if not key.lower().startswith(NO_PROGRAMS)}
        names = [re.sub(r"<[^>]*>|\*", driver, key) for key in sorted(asked) for driver in self._drivers(key)]
        return list(dict.fromkeys(names))

    def _drivers(self, key: str) -> tuple[str, ...]:
        if key == "gpg.<format>.program":
            return ("openpgp", "x509", "ssh")
        return DRIVERS if key.startswith(("filter.", "diff.<", "merge.<")) else ("evil",)

    def set_in(self, file: Path, where: str) -> None:
        """Plant all of it in a configuration file."""
        with file.open("a") as out:
            for key in self.keys():
                section, _, rest = key.partition(".")
                driver, dot, name = rest.rpartition(".")
                head = f'[{section} "{driver}"]' if dot else f"[{section}]"
                out.write(f'{head}\n\t{name} = "{self.program(f"{where}: {key}")}"\n')
            for key, value in SWITCHES.items():
                section, _, rest = key.partition(".")
                driver, dot, name = rest.rpartition(".")
                head = f'[{section} "{driver}"]' if dot else f"[{section}]"
                out.write(f"{head}\n\t{name} = {value}\n")
            run = self.program(f"{where}: a remote")
            out.write(f'[remote "origin"]\n\turl = ext::{run}\n\tpromisor = true\n\tvcs = evil\n')
            out.write(
                f'[submodule "nested"]\n\tupdate = !{run}\n\tactive = true\n\turl = ext::{run}\n\tignore = none\n'
            )

    def hook_into(self, folder: Path, where: str) -> None:
        folder.mkdir(exist_ok=True)
        for name in HOOKS:
            Path(self.program(f"{where}: hook {name}")).rename(folder / name)


@pytest.fixture
async def app(settings: Settings) -> AsyncIterator[App]:
    """Mission Control as the daemon runs it, so that agents can be launched."""
    built = App(settings, role="a test")
    async with built.running(periodic=True):
        yield built
        for id in list(built.launcher._followers):
            await built.launcher.stop(id)


@pytest.fixture
def trap(tmp_path: Path, git) -> Trap:
    return Trap(tmp_path / "trap", git)


@pytest.fixture
def trapped(repository: Path, git, trap: Trap, tmp_path: Path) -> Path:
    """The repository, with a signed commit, a submodule, and everything planted that can name a program."""
    nested = repository / "nested"
    nested.mkdir()
    git(nested, "init", "-q", "-b", "main")
    (nested / "n.txt").write_text("n\n")
    (nested / ".gitattributes").write_text(ATTRIBUTES)
    git(nested, "add", "-A")
    git(nested, "commit", "-qm", "nested")
    git(repository, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
    git(repository, "commit", "-qm", "with a submodule")
    sign_last_commit(repository)
    for top in (repository, nested):
        included = tmp_path / f"included-{top.name}"
        trap.set_in(included, f"{top.name}, included")
        trap.set_in(top / ".git" / "config", top.name)
        trap.set_in(top / ".git" / "config.worktree", f"{top.name}, worktree")
        hooks = tmp_path / f"hooks-{top.name}"
        trap.hook_into(hooks, f"{top.name}, core.hooksPath")
        trap.hook_into(top / ".git" / "hooks", top.name)
        with (top / ".git" / "config").open("a") as file:
            file.write(f"[include]\n\tpath = {included}\n")
            file.write(f'[includeIf "gitdir:**"]\n\tpath = {included}\n')
            file.write(f"[core]\n\thooksPath = {hooks}\n[init]\n\ttemplateDir = {tmp_path}\n")
        (top / ".git" / "info").mkdir(exist_ok=True)
        (top / ".git" / "info" / "attributes").write_text(ATTRIBUTES)
    (repository / ".gitattributes").write_text(ATTRIBUTES)
    (repository / "settings.cfg").write_text("a\n")
    (nested / "n.txt").write_text("changed\n")
    touch(repository)
    return repository


def sign_last_commit(top: Path) -> None:
    """Make the last commit one that claims to be signed."""
    said = subprocess.run(["git", "cat-file", "commit", "HEAD"], cwd=top, capture_output=True, check=True).stdout
    head, _, message = said.partition(b"\n\n")
    signature = b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=top, input=head + b"\n" + signature + b"\n\n" + message, capture_output=True, check=True,
    ).stdout.decode().strip()  # fmt: skip
    subprocess.run(["git", "update-ref", "HEAD", made], cwd=top, check=True)


def touch(top: Path) -> None:
    """Make git look at every file again."""
    for path in top.rglob("*"):
        if path.is_file() and ".git" not in path.parts:
            os.utime(path, (1, 1))


class Journey:
    """Calls tools and notes which ones, and what ran."""

    def __init__(self, call: Front, trap: Trap, top: Path) -> None:
        self.call = call
        self.trap = trap
        self.top = top
        self.called: set[str] = set()

    async def __call__(self, tool: str, arguments=None, **caller):
        self.called.add(tool)
        touch(self.top)
        try:
            return await self.call(tool, arguments, **{"directory": str(self.top), **caller})
        finally:
            assert self.trap.ran == [], f"{tool} ran programs"

    async def refused(self, tool: str, arguments=None, **caller) -> None:
        with pytest.raises(MissionError):
            await self(tool, arguments, **caller)


def touching_git(app) -> set[str]:
    """The tools whose code is given trees, and the launch of agents, which works in them."""
    return {LAUNCH} | {tool.name for tool in app.gateway.registry if "call.trees" in inspect.getsource(tool.handler)}


async def test_no_program_of_a_repository_runs_whichever_tool_looks_at_it(call, trapped, trap, tmp_path):
    do = Journey(call, trap, trapped)

    await records(do, trapped)
    await plans(do, trapped)
    await crews(do, trapped)
    await workspaces(do, trapped, trap)
    await templates(do, trapped)
    await launches(do, trapped)

    runs = {"candidate_get", "run_start"}  # the git layer of runs has its own tests: tests/git/integration
    missing = touching_git(call.app) - do.called - runs
    assert not missing, f"give these tools a call here: {sorted(missing)}"
    assert trap.ran == []


def test_every_use_of_trees_by_a_tool_is_seen():
    """So that a tool cannot hide its use in a helper of its file."""
    folder = Path(inspect.getfile(sys.modules["mission.tools"])).parent
    uses = {path.stem: len(re.findall(r"\.trees\b", path.read_text())) for path in folder.glob("*.py")}
    seen = {path.stem: path.read_text().count("call.trees") for path in folder.glob("*.py")}

    assert uses == seen


def test_the_trap_catches(trapped, trap, git):
    """Git itself, used plainly, runs what was planted."""
    subprocess.run(["git", "status"], cwd=trapped, capture_output=True)
    subprocess.run(["git", "log", "-p"], cwd=trapped, capture_output=True)

    ran = "\n".join(trap.ran)
    for word in ("filter.x=y", "filter.evil", "core.fsmonitor", "gpg", "nested"):
        assert word in ran, word


async def records(do: Journey, top: Path) -> None:
    await do("repository_register", {"path": str(top)})
    await do("repository_get", {"path": str(top)})
    mission = (await do("start_mission", {"name": "m", "objective": "o", "repository_path": str(top)}))["mission_id"]
    task = (await do("start_task", {"mission_id": mission, "name": "t", "goal": "g"}))["task_id"]
    (top / "made.txt").write_text("by a task\n")
    (top / "README.md").write_text("changed\n")
    for path in ("made.txt", "README.md", "nested"):
        await do("overview_files", {"task_id": task})
        if path != "nested":
            await do("overview_diff", {"task_id": task, "path": path})
    await do("get_context", {"include": ["tasks"]})
    outcome = {"summary": "s", "manual_review_needed": True, "manual_review_reason": "Look"}
    await do("complete_task", {"task_id": task, "status": "success", "outcome": outcome})
    for path in ("made.txt", "README.md"):
        await do("overview_diff", {"task_id": task, "path": path})
    (item,) = (await do("queue_list", {}))["items"]
    await do("queue_answer", {"id": item["id"], "text": "Yes"})
    committed = (await do("start_task", {"mission_id": mission, "name": "c", "goal": "g"}))["task_id"]
    commit(top, "src/app.py", "print('committed')\n")
    await do("complete_task", {"task_id": committed, "status": "success", "outcome": {"summary": "s"}})
    await do("overview_diff", {"task_id": committed, "path": "src/app.py"})
    await do("checks_suggest", {"repository_path": str(top), "run": False})
    await do("checks_set", {"scope": "mission", "id": mission, "checks": ["true"]})
    checked = (await do("start_task", {"mission_id": mission, "name": "k", "goal": "g"}))["task_id"]
    (top / "made.txt").write_text("and checked\n")
    await do("task_checks", {"task_id": checked, "run": True})
    await do("complete_task", {"task_id": checked, "status": "success", "outcome": {"summary": "s"}})
    accepted = (await do("start_task", {"mission_id": mission, "name": "a", "goal": "g"}))["task_id"]
    await do("task_accept", {"task_id": accepted, "reason": "Looked at it"})
    await do("evidence_export", {"mission_id": mission})
    await do("checks_set", {"scope": "mission", "id": mission, "checks": []})


def commit(top: Path, name: str, content: str) -> None:
    """Commit as somebody does who has none of this configuration."""
    (top / name).write_text(content)
    off = {"GIT_CONFIG_COUNT": "0", "GIT_DIR": str(top / ".git"), "GIT_WORK_TREE": str(top)}
    clean = {**os.environ, **off}
    kept = (top / ".git" / "config").read_text()
    aside = top / ".git" / "config.worktree"
    worktree = aside.read_text()
    attributes = (top / ".gitattributes").read_text(), (top / ".git" / "info" / "attributes").read_text()
    try:
        (top / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n\thooksPath = /dev/null\n")
        aside.write_text("")
        (top / ".gitattributes").write_text("")
        (top / ".git" / "info" / "attributes").write_text("")
        subprocess.run(["git", "add", name], cwd=top, env=clean, check=True)
        subprocess.run(["git", "commit", "-qm", "work"], cwd=top, env=clean, check=True)
        sign_last_commit(top)
    finally:
        (top / ".git" / "config").write_text(kept)
        aside.write_text(worktree)
        (top / ".gitattributes").write_text(attributes[0])
        (top / ".git" / "info" / "attributes").write_text(attributes[1])


async def plan(do: Journey, top: Path, *names: str, **more) -> tuple[str, dict[str, str]]:
    wanted = {"name": "W", "source_type": "prompt", "source_content": "B", "repository_path": str(top), **more}
    workflow = (await do("workflow_create", wanted))["id"]
    tasks = [{"name": name, "description": name, "sequence": 1, "depends_on": []} for name in names]
    await do("workflow_set_plan", {"id": workflow, "plan": {"summary": "s", "approach": "a", "tasks": tasks}})
    found = await do("workflow_get", {"id": workflow, "include_tasks": True})
    return workflow, {task["name"]: task["id"] for task in found["tasks"]}


async def plans(do: Journey, top: Path) -> None:
    ada, eve = [(await do("agent_register", {"name": name, "runtime": "custom"}))["id"] for name in ("ada", "eve")]
    workflow, tasks = await plan(do, top, "a", "b", max_parallel_tasks=10)
    await do("task_claim", {"task_id": tasks["a"], "agent_id": ada})
    await do("task_update_status", {"id": tasks["a"], "status": "in_progress", "agent_id": ada})
    (top / "made.txt").write_text("by a task\n")
    commit(top, "more.txt", "more\n")
    await do("task_release", {"task_id": tasks["a"], "agent_id": ada})
    await do("task_claim", {"task_id": tasks["a"], "agent_id": eve})
    await do("task_claim_next", {"workflow_id": workflow, "agent_id": ada})


async def crews(do: Journey, top: Path) -> None:
    chief = (await do("mcp__agent__create", {"type": "SUPERVISOR", "name": "chief"}))["id"]
    leader = (await do("mcp__agent__create", {"type": "ORCHESTRATOR", "name": "lead"}, agent=chief))["id"]
    worker = (await do("mcp__agent__create", {"type": "WORKER", "name": "hand"}, agent=leader))["id"]
    new = {"title": "Users", "description": "All", "linearIssueId": "L-1", "linearIssueUrl": "https://x/L-1"}
    await do("mcp__epic__create", new, agent=leader)
    task = (await do("mcp__task__create", {"title": "T", "description": "d"}, agent=leader))["id"]
    await do("mcp__task__assign", {"taskId": task, "agentId": worker}, agent=leader)
    await do("mcp__task__update_status", {"status": "IN_PROGRESS"}, agent=worker)
    await do("mcp__agent__get_task", agent=worker)
    await do("mcp__task__update_status", {"status": "REVIEW"}, agent=worker)
    await do("mcp__task__update_status", {"status": "COMPLETED"}, agent=worker)


async def workspaces(do: Journey, top: Path, trap: Trap) -> None:
    workflow, _ = await plan(do, top, "w")
    made = {}
    for name in ("merged", "kept"):
        path = top.parent / name
        wish = {
            "workflow_id": workflow,
            "path": str(path),
            "branch": name,
            "create": True,
            "copy_files": ["settings.cfg"],
        }
        made[name] = (await do("workspace_create", wish))["id"]
        populate(path, trap)
    await do("workspace_list", {"workflow_id": workflow, "include_state": True})
    await do("overview_workspaces", {})
    await do("overview_workspace_sizes", {"workspace_ids": list(made.values())})
    await do("overview_running_changes", {"mission_id": workflow})
    for id in made.values():
        await do("workspace_get", {"id": id})
    (top.parent / "kept" / "README.md").write_text("unsaved\n")
    touch(top.parent / "kept")
    await do.refused("workspace_update", {"id": made["merged"], "status": "merged", "merge_commit": "0" * 40})
    head = do.trap.git(top, "rev-parse", "HEAD")
    await do.refused("workspace_update", {"id": made["merged"], "status": "merged", "merge_commit": head})
    for name in made:
        (top.parent / name / "nested" / ".git").rename(top.parent / f"{name}-nested-git")
    await do("workspace_update", {"id": made["merged"], "status": "abandoned"})
    await do("workspace_update", {"id": made["kept"], "status": "abandoned"})
    await do("workspace_remove", {"id": made["kept"], "save": True, "delete_branch": False})
    await do("workspace_remove", {"id": made["merged"], "save": True, "delete_branch": True})
    assert "unsaved" in do.trap.git(top, "cat-file", "-p", f"mission-kept/{made['kept']}:README.md")


def populate(path: Path, trap: Trap) -> None:
    """A repository where the worktree has a submodule, with programs and changes of its own."""
    nested = path / "nested"
    subprocess.run(["git", "init", "-q"], cwd=nested, check=True)
    (nested / "n.txt").write_text("n\n")
    subprocess.run(["git", "add", "-A"], cwd=nested, check=True)
    subprocess.run(["git", "commit", "-qm", "n"], cwd=nested, check=True)
    (nested / ".gitattributes").write_text(ATTRIBUTES)
    trap.set_in(nested / ".git" / "config", f"nested in {path.name}")
    (nested / "n.txt").write_text("N\n")
    touch(path)


async def templates(do: Journey, top: Path) -> None:
    folder = top / ".mission" / "templates"
    folder.mkdir(parents=True)
    (folder / "one.json").write_text('{"name": "One", "tasks": [{"name": "a", "description": "b", "sequence": 1}]}')
    (found,) = (await do("template_list", {"repository_path": str(top)}))["templates"]
    await do("template_get", {"id": found["id"], "repository_path": str(top)})
    await do("template_apply", {"template_id": found["id"], "workflow_name": "W", "repository_path": str(top)})


async def launches(do: Journey, top: Path) -> None:
    for more in ({}, {"auto_create_workspaces": True}):
        _, tasks = await plan(do, top, "launched", "beside", **more)
        wish = {"task_id": tasks["launched"], "adapter": "command", "arguments": ["true"]}
        await do(LAUNCH, wish)
