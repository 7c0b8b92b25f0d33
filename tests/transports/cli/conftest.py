"""Programs that the tests of a module share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.transports.cli.program import Program, program


@pytest.fixture(scope="module")
def mission(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Program]:
    """The program with a MISSION_HOME that a whole module shares, and so one daemon."""
    home = tmp_path_factory.mktemp("cli") / "home"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    with program(home) as made:
        yield made


@pytest.fixture
def fresh(tmp_path: Path, _sqlite_template: Path) -> Iterator[Program]:
    """The program with a MISSION_HOME of its own."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    with program(home) as made:
        yield made
