"""What a launch gives its program."""

from __future__ import annotations

import stat

import pytest

from mission.domain.errors import InvalidInput
from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.launch_adapter import Preparation, launches
from mission.runtime.launching.client_choice import Choice
from mission.runtime.launching.preparation import LaunchPreparer, write
from mission.services.launcher import LaunchRequest
from mission.services.work import BackgroundWork
from mission.tools.tasks.load_context import preview_context
from tests.fake_executions import FakeExecutions

LAUNCHES = launches()


def choice(adapter="command", *, delivery=Delivery.MCP_TOOL):
    return Choice(
        launch=LAUNCHES[adapter],
        program="/bin/agent",
        arguments=["--fast"],
        delivery=delivery,
        environment={"PATH": "/bin"},
    )


@pytest.fixture
def preparer(app, tmp_path):
    made = LaunchPreparer(BackgroundWork(app.database), app.trees, context=preview_context, home=tmp_path / "home")
    made.url = "http://127.0.0.1:1"
    return made


async def test_a_program_gets_its_secrets_by_variables_and_everything_else_by_private_files(app, call, preparer):
    fake_executions = FakeExecutions(app, call)
    created = await fake_executions.launch()
    order = LaunchRequest(task_id=created.task.id, adapter="command", directory="/", seconds=9)

    start = await preparer.prepare(created, order, choice(), session=None)

    folder = preparer.folder(created.execution.id)
    assert start.argv == ["/bin/agent", "--fast"]
    assert start.environment["MISSION_TOKEN"] == created.agent_token
    assert start.environment["OPEN_MISSION_MCP_TOKEN"] == created.token
    assert start.environment["OPEN_MISSION_MCP_URL"] == f"http://127.0.0.1:1/mcp/executions/{created.execution.id}"
    assert (start.limits.seconds, start.terminal, start.title) == (9, None, "Any program: Write the parser")
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert {path.name for path in files} == {"prompt.md", "transcript.launch.json"}
    for path in files:
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert created.agent_token not in path.read_text()
    prompt = (folder / "config" / "prompt.md").read_text()
    assert created.task.id in prompt
    assert "do Write the parser" in prompt
    assert preparer.launch_record(created.execution.id).seconds == 9


async def test_a_task_without_a_tree_and_a_folder_is_not_launched(app, call, preparer):
    created = await FakeExecutions(app, call).launch()

    with pytest.raises(InvalidInput, match="no working tree"):
        await preparer.prepare(
            created, LaunchRequest(task_id=created.task.id, adapter="command"), choice(), session=None
        )

    assert not preparer.folder(created.execution.id).exists()


async def test_a_preview_shows_what_would_be_given_and_writes_nothing(app, call, preparer):
    fake_executions = FakeExecutions(app, call)
    task_id = await fake_executions.task()
    order = LaunchRequest(task_id=task_id, adapter="command", directory="/code")

    intent = await preparer.preview(
        BackgroundWork(app.database), app.trees, order, choice(delivery=Delivery.STDOUT_MARKER)
    )

    assert intent.argv == ["/bin/agent", "--fast"]
    assert (intent.delivery, intent.directory) == (Delivery.STDOUT_MARKER, "/code")
    assert {"PATH", "MISSION_TOKEN", "MISSION_PROMPT_FILE"} <= set(intent.variables)
    assert "OPEN_MISSION_MCP_TOKEN" not in intent.variables
    assert task_id in intent.prompt
    assert not preparer.folders.exists()
    assert (await fake_executions.task_now(task_id))["status"] == "pending"


def test_a_folder_is_laid_out_with_files_and_links_to_what_is_the_users(tmp_path):
    there = tmp_path / "user" / "login.json"
    there.parent.mkdir()
    there.write_text("{}")
    missing = tmp_path / "user" / "sessions"
    folder = tmp_path / "private"

    write(
        folder,
        Preparation(argv=[], files={"home/settings.json": "{}"}, links={"home/login.json": there, "home/tmp": missing}),
    )

    assert (folder / "home" / "login.json").resolve() == there
    assert missing.is_dir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE((folder / "home" / "settings.json").stat().st_mode) == 0o600
