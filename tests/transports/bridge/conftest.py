"""Homes for bridges, and bridges in them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.transports.bridge.bridge_client import PATIENCE, SERVER, STANDIN, Talk, end_daemon, make_home, start_daemon


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home with a running server that all tests share."""
    home = make_home(tmp_path_factory.mktemp("bridge") / "home", SERVER)
    daemon = start_daemon(home)
    yield home
    daemon.kill()
    daemon.wait(PATIENCE)


@pytest.fixture
def quiet_home(tmp_path: Path) -> Iterator[Path]:
    """A home without a daemon, where a stand-in starts in a blink."""
    home = make_home(tmp_path / "home", STANDIN)
    yield home
    end_daemon(home)


@pytest.fixture
def mortal_home(tmp_path: Path) -> Iterator[Path]:
    """A home with a server of its own, which the test may kill."""
    home = make_home(tmp_path / "home", SERVER)
    daemon = start_daemon(home)
    yield home
    daemon.kill()
    daemon.wait(PATIENCE)
    end_daemon(home)


@pytest.fixture
def real_home(tmp_path: Path, _sqlite_template: Path) -> Iterator[Path]:
    """A home without a daemon, where our own starts."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    shutil.copy(_sqlite_template, home / "mission.db")
    yield home
    end_daemon(home)


@pytest.fixture
def talk() -> Iterator[Callable[..., Talk]]:
    talks: list[Talk] = []

    def start(*arguments: Any, **more: Any) -> Talk:
        talks.append(Talk(*arguments, **more))
        return talks[-1]

    yield start
    for each in talks:
        each.process.kill()
        each.process.wait(PATIENCE)
