"""Tools that connect the agent clients on the daemon's machine, as 'mission setup' does."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mission.gateway.call import Call
from mission.gateway.registry import Address, Arguments, Result, tool
from mission.services.client_setup import ClientState, ConnectedClient, SetupPreview
from mission.tools.shared.fields import Name


class ListClients(Arguments):
    pass


class OneClient(Arguments):
    client: Name = Field(description="claude-code, codex, opencode, copilot-cli, gemini-cli, cursor or vscode")


class ConnectClient(OneClient):
    digest: str = Field(min_length=64, max_length=64, description="The digest that the preview showed")


class ClientRow(Result):
    name: str
    title: str
    path: str | None
    version: str | None
    connected: bool
    hooks: bool
    file: str | None
    problem: str | None


class ClientList(Result):
    clients: list[ClientRow]

    @classmethod
    def of(cls, states: Sequence[ClientState]) -> ClientList:
        return cls(clients=list(states))


class ChangedFile(Result):
    path: str
    change: str
    diff: str


class ClientPreview(Result):
    client: str
    files: list[ChangedFile] = Field(description="Empty if the client is connected already")
    digest: str


class ClientConnected(Result):
    client: str
    files: list[str]
    tools: list[str]
    next_step: str | None


@tool(toolset="control", result=ClientList, reads=True, address="/api/clients")
async def client_list(call: Call, args: ListClients) -> Sequence[ClientState]:
    """List the agent clients on this machine: version, and whether each is connected."""
    return await call.clients.clients()


@tool(toolset="control", result=ClientPreview, reads=True, address=Address("/api/clients/{id}", argument="client"))
async def client_preview(call: Call, args: OneClient) -> SetupPreview:
    """Preview client_connect: the difference in the client's configuration."""
    return await call.clients.preview(args.client)


@tool(toolset="control", result=ClientConnected, idempotent=True, outside=True)
async def client_connect(call: Call, args: ConnectClient) -> ConnectedClient:
    """Connect a client: make the previewed changes, start the server once, and undo them if that fails."""
    return await call.clients.connect(args.client, digest=args.digest)
