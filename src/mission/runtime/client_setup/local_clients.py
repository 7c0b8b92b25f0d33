"""The agent clients on the daemon's machine, as the page connects them: preview, write, and try."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from pathlib import Path

from mission.domain.errors import Conflict
from mission.runtime.adapters.config_adapter import Adapter, ConfigLocation, ConfigScope
from mission.runtime.client_setup import connect, setup
from mission.runtime.client_setup.setup import PlannedSetup
from mission.runtime.config_files.file_changes import Backups, Change
from mission.services.client_setup import ClientState, ConnectedClient, FileChange, SetupPreview
from mission.settings import Settings

SCOPE = ConfigScope.USER


class LocalClients:
    """Connects clients for all projects of the user that runs the daemon."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._writing = asyncio.Lock()

    async def clients(self) -> Sequence[ClientState]:
        """Return every client that can be connected, installed ones first."""
        rows = await asyncio.to_thread(setup.describe_clients, self._place())
        states = [
            ClientState(
                name=row["client"],
                title=row["title"],
                path=row["program"],
                version=row["version"],
                connected=row["scopes"][SCOPE]["set_up"],
                hooks=row["scopes"][SCOPE]["hooks"],
                file=row["scopes"][SCOPE].get("file"),
                problem=row["scopes"][SCOPE]["problem"],
            )
            for row in rows
        ]
        return sorted(states, key=lambda state: state.path is None)

    async def preview(self, client: str) -> SetupPreview:
        """Return what connecting the client would change."""
        planned = await asyncio.to_thread(self._plan, setup.find_client(client))
        return SetupPreview(
            client=client,
            files=[
                FileChange(path=str(change.path), change=change.kind, diff=change.diff()) for change in planned.changes
            ],
            digest=_digest(planned.changes),
        )

    async def connect(self, client: str, *, digest: str) -> ConnectedClient:
        """Make the previewed changes and try the connection; if that fails, undo them."""
        adapter = setup.find_client(client)
        async with self._writing:
            planned = await asyncio.to_thread(self._plan, adapter)
            if _digest(planned.changes) != digest:
                raise Conflict(
                    f"The configuration of {adapter.title} has changed since the preview",
                    hint="Nothing was written. Look at the new preview, then connect it.",
                )
            tools = await self._apply(planned)
        return ConnectedClient(
            client=client,
            files=[str(change.path) for change in planned.changes],
            tools=tools,
            next_step=adapter.next_steps.get(SCOPE.value),
        )

    async def _apply(self, planned: PlannedSetup) -> list[str]:
        backups = Backups(self._settings.backups_path / "clients")
        made = await asyncio.to_thread(setup.apply_all, [planned], backups)
        try:
            serve = setup.serve_command(connect.mission_command(self._settings))
            return await setup.try_server(serve, directory=self._place().project)
        except BaseException:
            await asyncio.shield(asyncio.to_thread(setup.take_all_back, [planned], made, backups))
            raise

    def _plan(self, adapter: Adapter) -> PlannedSetup:
        command = connect.mission_command(self._settings)
        changes = connect.plan(adapter, self._place(), SCOPE, command, toolsets="", hooks=False)
        return PlannedSetup(adapter=adapter, changes=changes)

    def _place(self) -> ConfigLocation:
        return connect.here(project=Path.home())


def _digest(changes: Sequence[Change]) -> str:
    """Return what identifies the changes, with the text that they replace."""
    found = hashlib.sha256()
    for change in changes:
        for text in (str(change.path), change.before or "", change.after or ""):
            found.update(text.encode() + b"\0")
    return found.hexdigest()
