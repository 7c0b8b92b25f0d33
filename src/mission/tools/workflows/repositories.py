"""Tools for the repositories that missions work in."""

from __future__ import annotations

from pydantic import Field

from mission.domain.missions.repository import Repository
from mission.gateway.call import Call
from mission.gateway.registry import Arguments, Result, tool
from mission.services.repositories import registration as repositories
from mission.tools.shared.fields import Name, PathText
from mission.tools.shared.wording import Moment


class RegisterRepository(Arguments):
    path: PathText = Field(description="Absolute")
    name: Name | None = Field(None, description="Default: the folder name")


class RegisteredRepository(Result):
    id: str

    @classmethod
    def of(cls, repository: Repository) -> RegisteredRepository:
        return cls(id=repository.id)


class RepositoryRecord(Result):
    id: str
    path: str
    name: str
    host_id: str
    created_at: Moment

    @classmethod
    def of(cls, repository: Repository) -> RepositoryRecord:
        return cls(
            id=repository.id,
            path=repository.path,
            name=repository.name,
            host_id=repository.host_id,
            created_at=repository.created_at,
        )


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


@tool(toolset="workspaces", idempotent=True)
async def repository_register(call: Call, args: RegisterRepository) -> RegisteredRepository:
    """Register a repository or folder. A known path keeps its id; a given name replaces the old one."""
    return await repositories.register(call, call.trees, path=args.path, name=args.name, answer=RegisteredRepository.of)


@tool(toolset="workspaces", reads=True)
async def repository_list(call: Call, args: ListRepositories) -> RepositoryList:
    """List registered repositories by name."""
    found, total = await call.read(repositories.list_repositories, limit=args.limit, offset=args.offset)
    return RepositoryList(repositories=[RepositoryRecord.of(each) for each in found], total=total)


@tool(toolset="workspaces", reads=True)
async def repository_get(call: Call, args: GetRepository) -> FoundRepository:
    """Find the registered repository at a path; null if there is none."""
    found = await repositories.at(call, call.trees, path=args.path)
    return FoundRepository(repository=RepositoryRecord.of(found) if found is not None else None)
