"""What a process imports before it is of use: the rest of its start is over in a blink."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from mcp.server.lowlevel import Server

from mission.transports.mcp_server import sdk_loader


@pytest.mark.parametrize(
    ("imported", "unneeded"),
    [
        ("mission.serve", "mission.app sqlalchemy pydantic starlette uvicorn"),
        (
            "mission.app, mission.transports.web.routes",
            "mcp mcp_types alembic psycopg rich click httpx2 tomlkit rs_bpe bpe_openai",
        ),
        (
            "mission.app, mission.transports.mcp_server.standalone.server",
            "mcp mcp_types uvicorn mission.runtime.launching.launcher mission.services.runs.driver"
            " mission.services.checks.checker mission.tools.missions.missions",
        ),
        (
            "mission.serve, mission.program_cache, mission.transports.mcp_server.standalone.client",
            "mission.app sqlalchemy pydantic pydantic_core starlette mcp",
        ),
        ("mission.store.open_database", "mission.app mission.gateway pydantic starlette alembic psycopg"),
        (
            "mission.transports.cli.system.operator_token, mission.transports.cli.system.daemon",
            "mission.store sqlalchemy pydantic rich",
        ),
    ],
)
def test_a_process_loads_nothing_that_it_may_never_need(imported: str, unneeded: str) -> None:
    program = f"import sys, {imported}; print(*sorted(set({unneeded.split()}) & set(sys.modules)))"

    shown = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)

    assert shown.stdout.split() == []


async def test_the_sdk_is_there_before_anybody_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdk_loader, "AFTER_SECONDS", 0.0)
    loop, made = asyncio.get_running_loop(), asyncio.Event()

    def make() -> Server:
        loop.call_soon_threadsafe(made.set)
        return Server("test")

    async with sdk_loader.SdkLoader(make).running():
        await asyncio.wait_for(made.wait(), 60)
