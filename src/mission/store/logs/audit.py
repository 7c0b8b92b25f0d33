"""Queries about the audit trail and about stored answers for repeated calls."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, func, insert, literal_column, select, update

from mission.domain.errors import InternalError, NotFound
from mission.store.columns import UtcTime
from mission.store.sql.pages import PagePosition, oldest_before
from mission.store.sql.prepared_statements import Prepared
from mission.store.tables import audit, call_keys

_INSERT = Prepared(insert(audit))
_ENDED = ("finished_at", "status", "mission_id", "task_id", "result", "error", "trace")
_END = Prepared(
    update(audit)
    .where(audit.c.at == bindparam("at_", type_=UtcTime), audit.c.id == bindparam("id_"))
    .values({name: bindparam(f"new_{name}", type_=audit.c[name].type) for name in _ENDED})
)
_FIRST_TOOL = select(func.min(audit.c.tool).label("tool")).cte("named", recursive=True)
_NEXT_TOOL = select(func.min(audit.c.tool)).where(audit.c.tool > _FIRST_TOOL.c.tool).scalar_subquery()
_NAMED = _FIRST_TOOL.union_all(select(_NEXT_TOOL).where(_FIRST_TOOL.c.tool.is_not(None)))
_TOOLS = select(_NAMED.c.tool).where(_NAMED.c.tool.is_not(None))
"""Each name once, stepping along the index: entries are many, tools are few."""
_EXPIRED = oldest_before(audit, audit.c.at)
_TROUBLE = audit.c.status != literal_column("'ok'")
"""A literal in the statement itself, so that the partial index of failures is used."""
_REMEMBER = Prepared(insert(call_keys))
_RECALL = Prepared(
    select(call_keys.c.digest, call_keys.c.answer).where(
        call_keys.c.caller == bindparam("caller"), call_keys.c.key == bindparam("key")
    )
)
_FORGET = oldest_before(call_keys, call_keys.c.created_at)


class Faults(NamedTuple):
    """Recent internal errors: how many, and the newest of them."""

    total: int
    newest: str
    tool: str
    at: datetime


class Audit:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write entries; one that `ends` an invocation completes the existing row."""
        new = [row for row in rows if "ends" not in row]
        if new:
            _INSERT.run(self._connection, *new)
        for row in rows:
            if "ends" in row:
                ended = {f"new_{name}": row[name] for name in _ENDED}
                _END.run(self._connection, {"at_": row["at"], "id_": row["id"], **ended})

    def page(
        self,
        *,
        agent_id: str | None,
        tool: str | None,
        status: str | None,
        since: datetime | None,
        limit: int,
        after: PagePosition | None,
        except_transport: str | None = None,
        except_ok: Sequence[str] = (),
    ) -> list[dict[str, Any]]:
        """Return audit entries, newest first, of one tool or of all that match a pattern such as 'mcp__mail__*'.

        Calls of the tools in `except_ok` are left out unless they failed.
        """
        wanted = {audit.c.agent_id: agent_id, audit.c.status: status}
        where = [column == value for column, value in wanted.items() if value is not None]
        if except_transport is not None:
            where.append(audit.c.transport != except_transport)
        if except_ok:
            where.append((audit.c.status != "ok") | audit.c.tool.not_in(except_ok))
        if since is not None:
            where.append(audit.c.at >= since)
        if status not in (None, "ok"):
            where.append(_TROUBLE)
        if after is not None:
            moment, last = after
            where += [audit.c.at <= moment, (audit.c.at < moment) | (audit.c.id < last)]
        if tool is None or tool == "*":
            return self._newest(where, limit=limit)
        tools = self._tools(tool)
        if agent_id is not None or status not in (None, "ok"):  # few enough, along an index of their own
            return self._newest([*where, audit.c.tool.in_(tools)], limit=limit)
        return self._newest_of_each(tools, where, limit=limit)

    def _newest(self, where: Sequence[ColumnElement[bool]], *, limit: int) -> list[dict[str, Any]]:
        statement = select(audit).where(*where).order_by(audit.c.at.desc(), audit.c.id.desc()).limit(limit)
        return [dict(row._mapping) for row in self._connection.execute(statement)]

    def _newest_of_each(
        self, tools: Iterable[str], where: Sequence[ColumnElement[bool]], *, limit: int
    ) -> list[dict[str, Any]]:
        """Return the newest of the tools' entries, tool by tool along their index: by time, rare ones are far apart."""
        found: list[dict[str, Any]] = []
        for tool in tools:
            newer = [audit.c.at >= found[-1]["at"]] if len(found) == limit else []
            found += self._newest([*where, *newer, audit.c.tool == tool], limit=limit)
            found = sorted(found, key=lambda row: (row["at"], row["id"]), reverse=True)[:limit]
        return found

    def _tools(self, pattern: str) -> list[str]:
        """Return the names of tools in the trail that match the pattern."""
        if "*" not in pattern:
            return [pattern]
        return [tool for tool in self._connection.execute(_TOOLS).scalars() if fnmatchcase(tool, pattern)]

    def get(self, id: str) -> dict[str, Any]:
        row = self._connection.execute(select(audit).where(audit.c.id == id)).first()
        if row is None:
            raise NotFound(f"there is no audit entry {id}", hint="'mission audit' lists the entries.", entry_id=id)
        return dict(row._mapping)

    def faults(self, *, since: datetime) -> Faults | None:
        """Return how many calls failed with an internal error, and the newest of them."""
        code = audit.c.error["code"].as_string()
        where = (_TROUBLE, audit.c.status == "error", audit.c.at >= since, code == InternalError.code)
        count = self._connection.execute(select(func.count()).select_from(audit).where(*where)).scalar_one()
        if not count:
            return None
        newest = select(audit.c.id, audit.c.tool, audit.c.at).where(*where).order_by(audit.c.at.desc()).limit(1)
        id, tool, at = self._connection.execute(newest).one()
        return Faults(total=count, newest=id, tool=tool, at=at)

    def count(self) -> int:
        return int(self._connection.execute(select(func.count()).select_from(audit)).scalar_one())

    def remove_before(self, moment: datetime, *, limit: int) -> int:
        """Remove entries from before the moment, the oldest first, as many as one transaction should."""
        return self._connection.execute(_EXPIRED, {"before": moment, "limit": limit}).rowcount


class CallKeys:
    """Answers stored under a call key, so that a repeat after a broken connection gets the first one."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def recall(self, *, caller: str, key: str) -> tuple[str, str] | None:
        """Return the digest and answer of the call that used this key, if one did."""
        for digest, answer in _RECALL.run(self._connection, {"caller": caller, "key": key}):
            return digest, answer
        return None

    def remember(self, *, caller: str, key: str, digest: str, answer: str, now: datetime) -> None:
        _REMEMBER.run(
            self._connection, {"caller": caller, "key": key, "digest": digest, "answer": answer, "created_at": now}
        )

    def remove_before(self, moment: datetime, *, limit: int) -> int:
        """Remove answers from before the moment, the oldest first, as many as one transaction should."""
        return self._connection.execute(_FORGET, {"before": moment, "limit": limit}).rowcount
