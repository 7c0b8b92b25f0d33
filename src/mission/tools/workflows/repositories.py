"""Tools for the repositories that missions work in."""

from __future__ import annotations

from pydantic import Field

from mission.domain.missions.repository import Repository
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.repositories import registration
from mission.tools.shared.fields import Name, PathText
from mission.tools.shared.wording import Moment


class RegisterRepository(Arguments):
    path: PathText = Field(description="Absolute")
    name: Name | None = Field(None, description="Default: the folder name")


class RegisteredRepository(Result):
    id: str


class RepositoryRecord(Result):
    id: str
    path: str
    name: str
    host_id: str
    created_at: Moment


class ListRepositories(Arguments):
    limit: int = Field(50, ge=1, le=500)
    offset: int = Field(0, ge=0, le=10_000_000)


class RepositoryList(Result):
    repositories: list[RepositoryRecord]
    total: int


class GetRepository(Arguments):
    path: PathText = Field(description="Absolute; may be a folder inside it")


class FoundRepository(Result):
    repository: RepositoryRecord | None


@tool(toolset="workspaces", result=RegisteredRepository, idempotent=True)
async def repository_register(call: Call, args: RegisterRepository) -> Repository:
    """Register a repository or folder. A known path keeps its id; a given name replaces the old one."""
    return await registration.register(call, call.trees, path=args.path, name=args.name)


@tool(toolset="workspaces", result=RepositoryList, reads=True)
async def repository_list(call: Call, args: ListRepositories) -> RepositoryList:
    """List registered repositories by name."""
    found, total = await call.read(registration.list_repositories, limit=args.limit, offset=args.offset)
    return RepositoryList(repositories=found, total=total)


@tool(toolset="workspaces", result=FoundRepository, reads=True)
async def repository_get(call: Call, args: GetRepository) -> FoundRepository:
    """Find the registered repository at a path; null if there is none."""
    return FoundRepository(repository=await registration.at(call, call.trees, path=args.path))
