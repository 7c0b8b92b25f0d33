"""Checks of a JavaScript project: scripts of package.json, and the compiler if no script runs it."""

from __future__ import annotations

from collections.abc import Iterator

from mission.domain.checks.proposals.known_tools import Kind
from mission.domain.checks.proposals.project import MANAGERS, Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank, propose

LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
SCRIPTS = {
    "format:check": Kind.FORMAT,
    "format-check": Kind.FORMAT,
    "check:format": Kind.FORMAT,
    "fmt:check": Kind.FORMAT,
    "prettier:check": Kind.FORMAT,
    "lint": Kind.LINT,
    "lint:check": Kind.LINT,
    "lint:ci": Kind.LINT,
    "typecheck": Kind.TYPES,
    "type-check": Kind.TYPES,
    "check-types": Kind.TYPES,
    "check:types": Kind.TYPES,
    "types": Kind.TYPES,
    "tsc": Kind.TYPES,
    "build": Kind.BUILD,
    "check": None,
    "test": Kind.TEST,
    "test:unit": Kind.TEST,
    "test:ci": Kind.TEST,
}
NO_TESTS = "no test specified"
EXECUTE = {"npm": "npx --no-install", "pnpm": "pnpm exec", "yarn": "yarn exec", "bun": "bunx --no-install"}


def javascript_proposals(project: Project) -> Iterator[Proposal | None]:
    """Yield checks for the scripts that test, lint, check types and build."""
    if not project.package:
        return
    manager = package_manager(project)
    scripts = project.scripts(project.package)
    for name, kind in SCRIPTS.items():
        if name in scripts and NO_TESTS not in scripts[name]:
            run = f"{manager} test" if name == "test" and manager != "bun" else f"{manager} run {name}"
            why = f"package.json has the script '{name}'"
            rank = ProposalRank.TARGET if kind else ProposalRank.AGGREGATE
            yield propose(project, run, why=why, rank=rank, at_least=kind, fallback=Kind.TEST)
    if "tsconfig.json" in project.files and "typescript" in str(project.package.get("devDependencies")):
        command = f"{EXECUTE[manager]} tsc --noEmit"
        yield propose(
            project, command, why="tsconfig.json configures TypeScript", rank=ProposalRank.GUESSED, name="tsc"
        )


def package_manager(project: Project) -> str:
    """Return the package manager that the project names or has a lock file for."""
    named = str(project.package.get("packageManager", "")).partition("@")[0]
    lock = project.first(*LOCKS)
    return named if named in MANAGERS else LOCKS[lock] if lock else "npm"
