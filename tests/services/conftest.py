"""What tests of services share."""

from __future__ import annotations

import pytest

from mission.app import App
from tests.conftest import Front
from tests.fake_executions import Workshop


@pytest.fixture
def workshop(app: App, call: Front) -> Workshop:
    return Workshop(app, call)
