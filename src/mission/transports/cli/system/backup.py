"""`mission backup`, `mission restore`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import chain, count
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from mission.domain.errors import InvalidInput, InvalidState
from mission.domain.timestamps import utc_now
from mission.home import make_home
from mission.settings import load
from mission.transports.cli.output import json_option, report_errors, show_json

if TYPE_CHECKING:
    from mission.store.backup import TableProgress

Value = TypeVar("Value")


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--force", is_flag=True, help="Replace FILE if it exists.")
@json_option
@report_errors
def backup(file: Path | None, force: bool, as_json: bool) -> None:
    """Write a backup to FILE [default: a new file in MISSION_HOME/backups]. The daemon may keep running."""
    if file is not None:
        _check_target(file, force=force)
    settings = load()
    make_home(settings)
    from mission.store import backup as backup_files  # deferred: a refused call needs no database
    from mission.store.open_database import open_backend

    backend = open_backend(settings, role="a backup")
    file = file or _new_file(settings.backups_path)
    try:
        counts = _with_progress(
            "Backing up", len_tables(), lambda report: backup_files.write(settings, backend, file, report=report)
        )
    finally:
        backend.close()
    _show_result({"file": str(file), "rows": counts}, f"{sum(counts.values()):,} rows in {file}", as_json=as_json)


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@json_option
@report_errors
def restore(file: Path, yes: bool, as_json: bool) -> None:
    """Restore the database from the backup in FILE. The daemon must not be running."""
    settings = load()
    if not yes:
        if as_json or not sys.stdin.isatty():
            raise click.UsageError("This replaces the whole database. Add --yes to confirm.")
        click.confirm("Replace the whole database with this backup?", abort=True)
    make_home(settings)
    from mission.store import backup as backup_files  # deferred: as above
    from mission.store.open_database import new_backend

    backend = new_backend(settings, role="a restore")
    try:
        counts = _with_progress(
            "Restoring", len_tables(), lambda report: backup_files.restore(settings, backend, file, report=report)
        )
    finally:
        backend.close()
    _show_result(
        {"file": str(file), "rows": counts}, f"{sum(counts.values()):,} rows restored from {file}", as_json=as_json
    )


def _check_target(file: Path, *, force: bool) -> None:
    """Raise unless the file may be written: an earlier backup may be the only one."""
    if file.exists() and not file.is_file():
        raise InvalidInput(f"{file} is not a regular file", hint="Name a file to write the backup to.")
    if file.exists() and not force:
        raise InvalidState(f"{file} already exists", hint="Name another file, or use --force to replace it.")


def _new_file(folder: Path) -> Path:
    folder.mkdir(mode=0o700, exist_ok=True)
    stem = f"mission-{utc_now():%Y%m%d-%H%M%S}"
    numbered = (folder / f"{stem}-{number}.zip" for number in count(2))
    return next(path for path in chain([folder / f"{stem}.zip"], numbered) if not path.exists())


def len_tables() -> int:
    from mission.store.tables import metadata  # deferred with the store it belongs to

    return len(metadata.tables)


def _with_progress(title: str, steps: int, work: Callable[[TableProgress | None], Value]) -> Value:
    """Run the work with a progress bar, which is shown only on a terminal."""
    if not sys.stderr.isatty():
        return work(None)
    from rich.console import Console  # deferred: a program does not need it
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=steps)
        return work(lambda table, rows: progress.update(task, advance=1, description=f"{title} {table} ({rows:,})"))


def _show_result(document: dict[str, object], sentence: str, *, as_json: bool) -> None:
    show_json(document) if as_json else click.echo(sentence)
