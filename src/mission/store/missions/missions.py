"""Queries about missions and the repositories they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, or_, select, update

from mission.domain.actions import Action
from mission.domain.errors import NotFound
from mission.domain.missions.mission import ENDED, Mission
from mission.domain.missions.repository import Repository
from mission.store.columns import UtcTime
from mission.store.sql.entity_mapper import Mapper
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import missions, phases, repositories

_COUNTERS = ("decisions", "milestones", "blockers")
_MAPPER = Mapper(missions, Mission, counters=_COUNTERS)
_NEWEST_OPEN = (
    _MAPPER.select.join(repositories, repositories.c.id == missions.c.repository_id)
    .where(
        repositories.c.host_id == bindparam("host_id"),
        or_(repositories.c.path == bindparam("path"), repositories.c.common_dir == bindparam("common_dir")),
        missions.c.status.not_in(bindparam("ended", expanding=True)),
        missions.c.archived_at.is_(None),
    )
    .order_by(missions.c.created_at.desc(), missions.c.id)
    .limit(1)
)
_COUNT = {
    name: Prepared(
        update(missions)
        .where(missions.c.id == bindparam("row_id"))
        .values({name: missions.c[name] + bindparam("more"), "updated_at": bindparam("now", type_=UtcTime)})
    )
    for name in _COUNTERS
}
_TOUCH = Prepared(
    update(missions).where(missions.c.id == bindparam("row_id")).values(updated_at=bindparam("now", type_=UtcTime))
)
_SET_SOURCE = update(missions).where(missions.c.id == bindparam("row_id")).values(source_content=bindparam("content"))
_SOURCE = select(missions.c.source_content).where(missions.c.id == bindparam("row_id"))
_DELETE = delete(missions).where(missions.c.id == bindparam("row_id"))
_TASK_TOTALS = (
    select(
        phases.c.mission_id,
        func.sum(
            phases.c.pending
            + phases.c.in_progress
            + phases.c.success
            + phases.c.partial
            + phases.c.failed
            + phases.c.skipped
        ).label("total"),
        func.sum(phases.c.success + phases.c.partial).label("completed"),
    )
    .where(phases.c.mission_id.in_(bindparam("ids", expanding=True)))
    .group_by(phases.c.mission_id)
)
_REPOSITORIES = Mapper(repositories, Repository)
_REPOSITORY_AT = _REPOSITORIES.select.where(
    repositories.c.host_id == bindparam("host_id"), repositories.c.path == bindparam("path")
)

_REPOSITORY_PAGE = (
    _REPOSITORIES.select.order_by(repositories.c.name, repositories.c.created_at, repositories.c.id)
    .limit(bindparam("limit"))
    .offset(bindparam("offset"))
)
_COUNT_REPOSITORIES = select(func.count()).select_from(repositories)
_REPOSITORIES_OF = (
    _REPOSITORIES.select.where(repositories.c.host_id == bindparam("host_id"))
    .order_by(repositories.c.created_at.desc(), repositories.c.id)
    .limit(bindparam("limit"))
)


class Missions:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def get(self, id: str) -> Mission:
        """Return the mission, or raise an error that says how to find one."""
        mission = _MAPPER.get(self._connection, id)
        if mission is None:
            raise NotFound(
                f"there is no mission {id}",
                action=Action.FIND_MISSION,
                mission_id=id,
            )
        return mission

    def add(self, mission: Mission) -> None:
        _MAPPER.insert(self._connection, mission)

    def save(self, mission: Mission) -> None:
        _MAPPER.save(self._connection, mission)

    def count(self, id: str, counter: str, *, more: int, now: datetime) -> None:
        """Add to one of the mission's totals; this also marks it as just active."""
        _COUNT[counter].run(self._connection, {"row_id": id, "more": more, "now": now})

    def touch(self, id: str, *, now: datetime) -> None:
        _TOUCH.run(self._connection, {"row_id": id, "now": now})

    def set_source(self, id: str, content: str) -> None:
        """Store the text a mission was created from; it may be long, so it is not part of the mission."""
        self._connection.execute(_SET_SOURCE, {"row_id": id, "content": content})

    def source(self, id: str) -> str | None:
        return self._connection.execute(_SOURCE, {"row_id": id}).scalar()

    def delete(self, id: str) -> None:
        self._connection.execute(_DELETE, {"row_id": id})

    def newest_open(self, *, host_id: str, path: str, common_dir: str | None) -> Mission | None:
        """Return the newest open mission of a repository, from any of its worktrees."""
        values = {"host_id": host_id, "path": path, "common_dir": common_dir, "ended": _words(ENDED)}
        row = self._connection.execute(_NEWEST_OPEN, values).first()
        return None if row is None else _MAPPER.entity(row)

    def page(
        self,
        *,
        statuses: Sequence[str] | None,
        repository_path: str | None,
        archived: bool,
        limit: int,
        offset: int,
    ) -> tuple[list[Mission], int]:
        """Return missions, the most recently active first, and how many there are in all."""
        where: list[ColumnElement[bool]] = [
            missions.c.archived_at.is_not(None) if archived else missions.c.archived_at.is_(None)
        ]
        if statuses is not None:
            where.append(missions.c.status.in_(statuses))
        if repository_path is not None:
            where.append(missions.c.repository_path == repository_path)
        order = (missions.c.updated_at.desc(), missions.c.id)
        rows = self._connection.execute(_MAPPER.select.where(*where).order_by(*order).limit(limit).offset(offset)).all()
        total = self._connection.execute(select(func.count()).select_from(missions).where(*where)).scalar_one()
        return [_MAPPER.entity(row) for row in rows], total

    def task_totals(self, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return for each mission the number of its tasks, and of those completed."""
        rows = self._connection.execute(_TASK_TOTALS, {"ids": list(ids)}).all()
        return {row.mission_id: (int(row.total), int(row.completed)) for row in rows}

    def repository(self, id: str) -> Repository | None:
        return _REPOSITORIES.get(self._connection, id)

    def repository_at(self, *, host_id: str, path: str) -> Repository | None:
        row = self._connection.execute(_REPOSITORY_AT, {"host_id": host_id, "path": path}).first()
        return None if row is None else _REPOSITORIES.entity(row)

    def repositories(self, *, limit: int, offset: int) -> tuple[list[Repository], int]:
        """Return a page of the repositories of all hosts, by name, and how many there are."""
        rows = self._connection.execute(_REPOSITORY_PAGE, {"limit": limit, "offset": offset})
        total = int(self._connection.execute(_COUNT_REPOSITORIES).scalar_one())
        return [_REPOSITORIES.entity(row) for row in rows], total

    def repositories_of(self, *, host_id: str, limit: int) -> list[Repository]:
        """Return repositories of a host, the newest first."""
        rows = self._connection.execute(_REPOSITORIES_OF, {"host_id": host_id, "limit": limit})
        return [_REPOSITORIES.entity(row) for row in rows]

    def save_repository(self, repository: Repository) -> None:
        _REPOSITORIES.save(self._connection, repository)

    def add_repository(self, repository: Repository) -> None:
        _REPOSITORIES.insert(self._connection, repository)


def _words(statuses: frozenset[object]) -> list[str]:
    return sorted(map(str, statuses))
