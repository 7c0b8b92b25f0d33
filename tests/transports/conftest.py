"""Servers that the tests of a module share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from mission.settings import Settings
from tests.transports.live_server import Live, serving


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory, _sqlite_template: Path) -> Iterator[Live]:
    """One running server per module, on SQLite."""
    home = tmp_path_factory.mktemp("live")
    settings = Settings(home=home, host_id="test-host")
    shutil.copy(_sqlite_template, settings.sqlite_path)
    with serving(settings) as running:
        yield running


@pytest.fixture
def live_on_both(settings: Settings) -> Iterator[Live]:
    """A running server of its own, on each of the two databases."""
    with serving(settings) as running:
        yield running
