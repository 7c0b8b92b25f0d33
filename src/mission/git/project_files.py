"""Read the files of a tree that describe how it is built and tested, for suggestions of checks.

Only names that matter are looked at: at the top, in its folders, and where CI files are. Everything is bounded, no link
is followed, and what cannot be read is left out.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from mission.git.safe_reading import read

LARGEST_FILE = 500_000
LARGEST_TOTAL = 8_000_000
MOST_ENTRIES = 10_000
MOST_FOLDERS = 50
SECONDS = 10.0

TEXTS = frozenset(
    """
    pyproject.toml setup.cfg tox.ini noxfile.py pytest.ini .pytest.ini pytest.toml mypy.ini .mypy.ini Pipfile
    package.json composer.json Cargo.toml
    Makefile makefile GNUmakefile justfile Justfile .justfile Taskfile.yml Taskfile.yaml taskfile.yml taskfile.yaml
    """.split()  # noqa: SIM905
)
"""Names of files whose text is read."""

MARKERS = frozenset(
    """
    setup.py conftest.py manage.py ruff.toml .ruff.toml .flake8 .isort.cfg .importlinter pyrightconfig.json ty.toml
    pyrefly.toml uv.lock poetry.lock pdm.lock Pipfile.lock
    pnpm-lock.yaml yarn.lock bun.lock bun.lockb package-lock.json npm-shrinkwrap.json tsconfig.json
    rustfmt.toml .rustfmt.toml clippy.toml .clippy.toml
    go.mod go.work .golangci.yml .golangci.yaml .golangci.toml .golangci.json
    pom.xml mvnw build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradlew
    phpunit.xml phpunit.xml.dist phpunit.dist.xml phpstan.neon phpstan.neon.dist phpstan.dist.neon
    Gemfile .rubocop.yml .rspec mix.exs .formatter.exs Package.swift
    """.split()  # noqa: SIM905
)
"""Names of files that only have to exist."""

TEXT_NAMES = re.compile(r"[\w-]*requirements[\w-]*\.txt")
MARKER_NAMES = re.compile(r"[\w.-]+\.(?:sln|slnx|csproj|fsproj)")
INNER_MARKERS = ("tests/conftest.py", ".config/nextest.toml")
PROGRAMS = tuple(
    f"{folder}/bin/{program}"
    for folder in (".venv", "venv")
    for program in "pytest ruff mypy flake8 black isort lint-imports pyright basedpyright ty pyrefly python".split()  # noqa: SIM905
)
CI_TOP = frozenset({".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", ".cirrus.yml", ".woodpecker.yml"})
CI_TOP |= {".woodpecker.yaml", "azure-pipelines.yml", "azure-pipelines.yaml", "bitbucket-pipelines.yml"}
CI_FOLDERS = (".github/workflows", ".gitea/workflows", ".forgejo/workflows", ".circleci", ".ci", "requirements")
PLAIN_NAME = re.compile(r"[\w.][\w.+@-]{0,100}")
SKIPPED_FOLDERS = frozenset({"node_modules", "vendor", "third_party", "venv", "target", "dist", "build"})


def read_project_files(top: Path) -> dict[str, str]:
    """Return the texts of the files that say how a tree is checked, by path; a file that only has to exist is empty."""
    return dict(_Reader(top).files())


class _Reader:
    """One reading of a tree, with what is left of its limits."""

    def __init__(self, top: Path) -> None:
        self._top = top
        self._left = LARGEST_TOTAL
        self._deadline = time.monotonic() + SECONDS

    def files(self) -> Iterator[tuple[str, str]]:
        names = self._names("")
        yield from self._known("", names, CI_TOP)
        for folder in CI_FOLDERS:
            for name, is_folder in self._names(folder):
                if not is_folder:
                    yield from self._text(f"{folder}/{name}")
        yield from ((path, "") for path in (*INNER_MARKERS, *PROGRAMS) if self._exists(path))
        folders = [name for name, is_folder in names if is_folder and name[0] != "." and name not in SKIPPED_FOLDERS]
        for folder in folders[:MOST_FOLDERS]:
            yield from self._known(f"{folder}/", self._names(folder), frozenset())

    def _known(self, prefix: str, names: list[tuple[str, bool]], more: frozenset[str]) -> Iterator[tuple[str, str]]:
        for name, is_folder in names:
            if is_folder:
                continue
            if name in TEXTS or name in more or TEXT_NAMES.fullmatch(name):
                yield from self._text(prefix + name)
            elif name in MARKERS or MARKER_NAMES.fullmatch(name):
                yield prefix + name, ""

    def _text(self, path: str) -> Iterator[tuple[str, str]]:
        if self._left <= 0 or time.monotonic() > self._deadline:
            return
        try:
            content = read(self._top, path, limit=min(LARGEST_FILE, self._left))
        except OSError:
            return
        self._left -= len(content)
        yield path, content.decode(errors="replace")

    def _names(self, folder: str) -> list[tuple[str, bool]]:
        """Return the files and folders in a real folder, by name, and which of them are folders."""
        if time.monotonic() > self._deadline or (folder and not self._exists(folder)):
            return []
        try:
            with os.scandir(self._top / folder) as listing:
                found = [
                    (entry.name, entry.is_dir(follow_symlinks=False))
                    for entry in islice(listing, MOST_ENTRIES)
                    if PLAIN_NAME.fullmatch(entry.name) and not entry.is_symlink()
                ]
        except OSError:
            return []
        return sorted(found)

    def _exists(self, path: str) -> bool:
        """Return whether the path exists; no folder on the way to it may be a link."""
        at = self._top
        *folders, last = path.split("/")
        try:
            for folder in folders:
                at /= folder
                if not stat.S_ISDIR(at.lstat().st_mode):
                    return False
            status = (at / last).lstat()
        except OSError:
            return False
        return stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode) or last == "python"
