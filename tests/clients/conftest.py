"""The room in which real clients are launched."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mission.settings import Settings
from tests.clients.room import Room, write_homes
from tests.clients.scripted_model import model
from tests.transports.live_server import serving


@pytest.fixture(scope="module")
def room(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    base = tmp_path_factory.mktemp("clients")
    (base / "mission").mkdir(mode=0o700)
    settings = Settings(home=base / "mission", host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    repository = base / "repository"
    repository.mkdir()
    (repository / "README.md").write_text("hello\n")
    subprocess.run(["git", "init", "-q"], cwd=repository, check=True)  # else clients look at the one around it
    try:
        with model() as scripted, serving(settings) as live:
            write_homes(base / "home", scripted.url, repository)
            yield Room(live=live, model=scripted, home=base / "home", repository=repository)
    finally:
        shutil.rmtree(base, ignore_errors=True)
