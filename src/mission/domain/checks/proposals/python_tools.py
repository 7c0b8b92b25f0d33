"""Checks of a Python project: tests, linters and type checkers that its files configure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mission.domain.checks.proposals.project import Project
from mission.domain.checks.proposals.proposal import Proposal, ProposalRank, propose

RUNNERS = {"uv.lock": "uv run", "poetry.lock": "poetry run", "pdm.lock": "pdm run", "Pipfile.lock": "pipenv run"}
ENVIRONMENTS = (".venv", "venv")
SETTINGS = {  # a table of pyproject.toml, other files that configure the tool, and how it is run
    "ruff check": ("ruff", ("ruff.toml", ".ruff.toml"), "ruff check ."),
    "flake8": ("flake8", (".flake8",), "flake8"),
    "import-linter": ("importlinter", (".importlinter",), "lint-imports"),
    "black": ("black", (), "black --check ."),
    "isort": ("isort", (".isort.cfg",), "isort --check-only ."),
    "pyright": ("pyright", ("pyrightconfig.json",), "pyright"),
    "basedpyright": ("basedpyright", (), "basedpyright"),
    "ty": ("ty", ("ty.toml",), "ty check"),
    "pyrefly": ("pyrefly", ("pyrefly.toml",), "pyrefly check"),
}
NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def python_proposals(project: Project) -> Iterator[Proposal | None]:
    """Yield checks for each tool that the project configures."""
    for name, (table, files, command) in SETTINGS.items():
        if source := _source(project, table, *files):
            yield _tool(project, command, f"{source} configures {name}", ProposalRank.GUESSED)
    if isinstance(_table(project, "ruff"), dict) and "format" in _table(project, "ruff"):
        yield _tool(
            project, "ruff format --check .", "pyproject.toml configures ruff's formatter", ProposalRank.CONFIGURED
        )
    if source := _source(project, "mypy", "mypy.ini", ".mypy.ini"):
        settings = _table(project, "mypy") or project.ini_sections(source).get("mypy") or {}
        named = any(settings.get(key) for key in ("files", "packages", "modules"))
        rank = ProposalRank.CONFIGURED if named else ProposalRank.GUESSED
        yield _tool(project, "mypy" if named else "mypy .", f"{source} configures mypy", rank)
    yield from _tests(project)


def with_runner(project: Project, command: str) -> str:
    """Return the command of a Python tool as this project runs it, in its own environment."""
    lock = project.first(*RUNNERS)
    if lock:
        return f"{RUNNERS[lock]} {command}"
    program = command.split()[0]
    local = project.first(*(f"{environment}/bin/{program}" for environment in ENVIRONMENTS))
    return command.replace(program, local, 1) if local else command


def _tests(project: Project) -> Iterator[Proposal | None]:
    if why := _pytest(project):
        yield _tool(project, "pytest", why, ProposalRank.CONFIGURED)
    elif "manage.py" in project.files:
        yield _tool(project, "python manage.py test", "manage.py runs Django's tests", ProposalRank.GUESSED)
    if "tox.ini" in project.files and "tox" in project.ini_sections("tox.ini"):
        yield propose(project, "tox", why="tox.ini configures tox", rank=ProposalRank.ENVIRONMENT)
    if "noxfile.py" in project.files:
        yield propose(project, "nox", why="noxfile.py defines nox sessions", rank=ProposalRank.ENVIRONMENT)


def _pytest(project: Project) -> str | None:
    """Return why the project seems to be tested with pytest."""
    if source := _source(project, "pytest", "pytest.ini", ".pytest.ini", "pytest.toml"):
        return f"{source} configures pytest"
    if "conftest.py" in project.files or "tests/conftest.py" in project.files:
        return f"{project.first('conftest.py', 'tests/conftest.py')} configures pytest"
    if "pytest" in _names(project.pyproject):
        return "pyproject.toml depends on pytest"
    requirements = [
        name for name in project.files if re.fullmatch(r"(?:[\w-]+/)?[\w-]*requirements[\w-]*\.txt|Pipfile", name)
    ]
    found = next((name for name in requirements if re.search(r"(?m)^pytest\b", project.files[name])), None)
    return f"{found} lists pytest" if found else None


def _tool(project: Project, command: str, why: str, rank: ProposalRank) -> Proposal | None:
    words = command.split()
    name = " ".join(words[:2]) if len(words) > 1 and words[1].isalpha() else words[0]
    return propose(project, with_runner(project, command), why=why, rank=rank, name=name)


def _source(project: Project, table: str, *files: str) -> str | None:
    """Return the file that configures a tool."""
    if _table(project, table) is not None:
        return "pyproject.toml"
    if found := project.first(*files):
        return found
    sections = (("setup.cfg", f"tool:{table}"), ("setup.cfg", table), ("tox.ini", table))
    return next((name for name, section in sections if section in project.ini_sections(name)), None)


def _table(project: Project, name: str) -> Any:
    tools = project.pyproject.get("tool")
    return tools.get(name) if isinstance(tools, dict) else None


def _names(value: Any) -> set[str]:
    """Return the first word of every text, and every key, in the tables of a project's dependencies."""
    if isinstance(value, str):
        found = NAME.match(value)
        return {found[0].lower()} if found else set()
    if isinstance(value, dict):
        inner = [_names(each) for key, each in value.items() if key not in ("scripts", "urls", "keywords")]
        return {str(key).lower() for key in value}.union(*inner)
    return set().union(*map(_names, value)) if isinstance(value, list) else set()
