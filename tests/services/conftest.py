"""What tests of services share."""

from __future__ import annotations

import pytest

from mission.app import App
from tests.conftest import Front
from tests.fake_executions import FakeExecutions
from tests.store.conftest import _postgres_for_all as _postgres_for_all
from tests.store.conftest import _sqlite_for_all as _sqlite_for_all
from tests.store.conftest import rows as rows
from tests.store.conftest import tx as tx
from tests.tools.conftest import make_agent as make_agent
from tests.tools.conftest import make_workflow as make_workflow


@pytest.fixture
def fake_executions(app: App, call: Front) -> FakeExecutions:
    return FakeExecutions(app, call)
