"""Backups: every table as JSON lines in one zip file, readable into either database."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, MetaData, Table, delete, insert, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from mission.domain.errors import InvalidInput
from mission.domain.timestamps import format_time, utc_now
from mission.settings import Settings
from mission.store import migrate
from mission.store.backends.backend import Backend
from mission.store.logs.events import EventRows
from mission.store.sql.compact_json import dumps
from mission.store.tables import metadata, search_documents, search_progress

FORMAT = 1
CHUNK = 1_000
MANIFEST = "manifest.json"
OURS = frozenset({*metadata.tables, "alembic_version"})
DERIVED = frozenset({"alembic_version", search_documents.name, search_progress.name})
"""Tables that are rebuilt from the others."""
SNAPSHOTS = "snapshots/"
TableProgress = Callable[[str, int], None]


class BadBackup(InvalidInput):
    """The file is not a Mission Control backup."""


def write(settings: Settings, backend: Backend, target: Path, *, report: TableProgress | None = None) -> dict[str, int]:
    """Write a backup of one consistent state; return the rows per table. An old file is replaced at the end."""
    partial = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError as error:
        raise InvalidInput(f"{target} cannot be written: {error.strerror}", hint="Choose a writable file.") from None
    try:
        with os.fdopen(descriptor, "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                counts = _fill(archive, settings, backend, report=report)
            file.flush()
            os.fsync(file.fileno())  # otherwise a power failure could leave an empty file under the name
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    return counts


def _fill(
    archive: zipfile.ZipFile, settings: Settings, backend: Backend, *, report: TableProgress | None
) -> dict[str, int]:
    counts: dict[str, int] = {}
    with backend.connect() as connection:
        backend.begin_read(connection)
        revision = migrate.revision_of(connection)
        for table in _tables(connection):
            counts[table.name] = _dump(connection, table, archive)
            if report is not None:
                report(table.name, counts[table.name])
        backend.end_read(connection)
    _add_snapshots(settings.snapshots_path, archive)
    manifest = {"format": FORMAT, "revision": revision, "made_at": format_time(utc_now()), "rows": counts}
    archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    return counts


def before_migration(settings: Settings, backend: Backend, *, revision: str) -> Path:
    """Write the automatic backup before a schema change and return its path; only the newest few are kept."""
    folder = settings.backups_path
    folder.mkdir(mode=0o700, exist_ok=True)
    target = folder / f"before-migration-from-{revision}-{utc_now():%Y%m%d-%H%M%S}.zip"
    write(settings, backend, target)
    for old in sorted(folder.glob("before-migration-*.zip"), key=lambda path: path.stat().st_mtime)[
        : -settings.keep_backups
    ]:
        old.unlink()
    return target


def restore(
    settings: Settings, backend: Backend, source: Path, *, report: TableProgress | None = None
) -> dict[str, int]:
    """Replace everything in the database with the backup; event numbers continue above the highest ever used."""
    with _opened(source) as archive:
        manifest = _manifest(archive)
        migrate.take_alone(backend, purpose="a restore")
        try:
            with backend.connect() as connection:
                return _replace(settings, backend, connection, archive, manifest, report=report)
        finally:
            backend.presence.leave()


def _replace(
    settings: Settings,
    backend: Backend,
    connection: Connection,
    archive: zipfile.ZipFile,
    manifest: dict[str, Any],
    *,
    report: TableProgress | None,
) -> dict[str, int]:
    """Restore in one transaction: a damaged backup leaves the database unchanged."""
    backend.begin_write(connection)
    try:
        highest = _highest_number(connection)
        _recreate(connection, revision=manifest["revision"])
        counts = _load_all(connection, archive, report=report)
        if counts != manifest["rows"]:
            raise BadBackup("the backup is incomplete", hint=_WANTED)
        EventRows(connection).continue_after(highest)
        if manifest["revision"] != migrate.HEAD:
            migrate.upgrade(connection)
        _restore_snapshots(settings.snapshots_path, archive)
        backend.commit(connection)
    except DBAPIError as error:
        raise backend.translate(error) or BadBackup("the backup is damaged", hint=_WANTED) from error
    except (SQLAlchemyError, ValueError, TypeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise BadBackup("the backup is damaged", hint=_WANTED) from error
    finally:
        backend.rollback(connection)
    return counts


def _tables(connection: Connection) -> list[Table]:
    """Return the tables as they are, parents before children."""
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in OURS)
    return [table for table in found.sorted_tables if table.name not in DERIVED]


def _dump(connection: Connection, table: Table, archive: zipfile.ZipFile) -> int:
    count = 0
    with archive.open(f"tables/{table.name}.jsonl", "w") as file:
        for row in connection.execute(select(table).execution_options(yield_per=CHUNK)):
            file.write(dumps(dict(row._mapping)).encode() + b"\n")
            count += 1
    return count


def _recreate(connection: Connection, *, revision: str) -> None:
    """Create an empty database at the backup's own revision."""
    if revision > migrate.HEAD:
        raise migrate.NewerDatabase(found=revision, known=migrate.HEAD)
    found = MetaData()
    found.reflect(connection, only=lambda name, _: name in OURS)  # other applications may use the same schema
    for table in reversed(found.sorted_tables):
        connection.execute(text(f'DROP TABLE "{table.name}"'))
    migrate.upgrade(connection, target=revision)


def _load_all(connection: Connection, archive: zipfile.ZipFile, *, report: TableProgress | None) -> dict[str, int]:
    counts = {}
    for table in _tables(connection):
        connection.execute(delete(table))
        counts[table.name] = 0
        for chunk in _chunks(archive, table.name):
            connection.execute(insert(table), chunk)
            counts[table.name] += len(chunk)
        if report is not None:
            report(table.name, counts[table.name])
    return counts


def _chunks(archive: zipfile.ZipFile, table: str) -> Iterator[list[dict[str, Any]]]:
    name = f"tables/{table}.jsonl"
    if name not in archive.namelist():
        return
    chunk: list[dict[str, Any]] = []
    with archive.open(name) as file:
        for line in file:
            chunk.append(json.loads(line))
            if len(chunk) == CHUNK:
                yield chunk
                chunk = []
    if chunk:
        yield chunk


def _highest_number(connection: Connection) -> int:
    if migrate.revision_of(connection) is None:
        return 0
    return EventRows(connection).newest()


_WANTED = "Pass the path of a file created by 'mission backup'."


def _opened(source: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(source)
    except FileNotFoundError:
        raise BadBackup(f"the file {source} does not exist", hint=_WANTED) from None
    except (zipfile.BadZipFile, OSError):
        raise BadBackup(f"{source} is not a backup", hint=_WANTED) from None


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    try:
        manifest: dict[str, Any] = json.loads(archive.read(MANIFEST))
    except (KeyError, ValueError, EOFError, zlib.error, zipfile.BadZipFile):
        raise BadBackup(hint=_WANTED) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise BadBackup("the backup has an unknown format", hint="Upgrade Mission Control.")
    if not isinstance(manifest.get("revision"), str) or not isinstance(manifest.get("rows"), dict):
        raise BadBackup(hint=_WANTED)
    return manifest


def _add_snapshots(folder: Path, archive: zipfile.ZipFile) -> None:
    """Return snapshots of open tasks, with the contents kept for them: their changes cannot be determined without."""
    if not folder.is_dir():
        return
    for path in sorted(folder.rglob("*")):
        passing = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.is_file() and not passing:
            with suppress(FileNotFoundError):  # its task has ended since then
                archive.write(path, SNAPSHOTS + str(path.relative_to(folder)))


def _restore_snapshots(folder: Path, archive: zipfile.ZipFile) -> None:
    root = folder.resolve()
    for name in archive.namelist():
        if not name.startswith(SNAPSHOTS):
            continue
        target = (root / name.removeprefix(SNAPSHOTS)).resolve()
        if not target.is_relative_to(root):
            raise BadBackup("the backup names a file outside its folder")
        target.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(archive.read(name))
