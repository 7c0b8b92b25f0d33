"""The port through which agent clients are connected to Mission Control; the runtime implements it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class ClientState:
    """A client on this machine, and whether its configuration has our server."""

    name: str
    title: str
    path: str | None
    """Its program; None if it is not installed."""
    version: str | None
    connected: bool
    hooks: bool
    file: str | None
    problem: str | None
    """Why its configuration cannot be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FileChange:
    path: str
    change: str
    diff: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SetupPreview:
    """The changes that would connect a client, and a digest that identifies exactly these changes."""

    client: str
    files: Sequence[FileChange]
    digest: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ConnectedClient:
    client: str
    files: Sequence[str]
    tools: Sequence[str]
    """The tools that the client will see."""
    next_step: str | None
    """What the person still has to do in the client."""


class ClientSetup(Protocol):
    """Finds clients and connects them."""

    async def clients(self) -> Sequence[ClientState]:
        """Return every client that can be connected, installed ones first."""
        ...

    async def preview(self, client: str) -> SetupPreview:
        """Return what connecting the client would change."""
        ...

    async def connect(self, client: str, *, digest: str) -> ConnectedClient:
        """Make exactly the previewed changes and try the connection; if that fails, undo them."""
        ...
