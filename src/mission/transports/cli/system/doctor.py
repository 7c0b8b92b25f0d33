"""`mission doctor`: check the installation and show fixes."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.text import Text

from mission import __version__
from mission.domain.errors import MissionError
from mission.domain.inbox.failure_report import RECENT
from mission.domain.timestamps import format_time, utc_now
from mission.runtime.adapters.config_adapter import Adapter, ConfigLocation, ConfigScope, discover
from mission.runtime.client_setup import connect
from mission.settings import BadSetting, Settings, default_home, load, unknown_variables
from mission.transports.bridge import daemon_process as daemon
from mission.transports.cli.output import json_option, show_json
from mission.transports.cli.times import ago

if TYPE_CHECKING:
    from mission.store.logs.audit import Audit

OLDEST_PYTHON = (3, 11)
OLDEST_GIT = (2, 31)
LITTLE_SPACE = 1024**3
TOO_LITTLE_SPACE = 100 * 1024**2
QUICK_CHECK_SECONDS = 8.0


@dataclass(frozen=True, kw_only=True, slots=True)
class DoctorFinding:
    """The result of one check ('ok', 'warning', 'problem') and how to fix it."""

    check: str
    status: str
    message: str
    fix: str | None = None


@click.command(short_help="Check the installation and show fixes.")
@json_option
def doctor(as_json: bool) -> None:
    """Check Python, the settings, the data folder, the daemon, the database, recent errors, git and the agent clients.

    Each warning and problem comes with a fix. Exit code 1 if there is a problem, else 0. Changes nothing and does not
    start the daemon.
    """
    console = Console(highlight=False, soft_wrap=True)
    findings: list[DoctorFinding] = []
    with console.status("Checking …") if console.is_terminal and not as_json else nullcontext():
        for finding in examine():
            findings.append(finding)
            if not as_json:
                _show(console, finding)
    problems = sum(finding.status == "problem" for finding in findings)
    if as_json:
        show_json({"ok": not problems, "findings": [_as_json(finding) for finding in findings]})
    else:
        _sum_up(console, findings)
    sys.exit(1 if problems else 0)


def _as_json(finding: DoctorFinding) -> dict[str, str | None]:
    """Return the finding under the keys that --json has always had."""
    fields = asdict(finding)
    return {"mend" if name == "fix" else name: value for name, value in fields.items()}


_SIGNS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


def _show(console: Console, finding: DoctorFinding) -> None:
    sign, style = _SIGNS[finding.status]
    console.print(Text.assemble((f"{sign} ", style), (f"{finding.check:<10} ", "bold"), finding.message))
    if finding.fix:
        console.print(Text(f"             → {finding.fix}", style=style))


def _sum_up(console: Console, findings: list[DoctorFinding]) -> None:
    counts = {status: sum(finding.status == status for finding in findings) for status in ("problem", "warning")}
    if not any(counts.values()):
        console.print("No problems found.", style="green")
        return
    words = [f"{count} {status}{'s' if count > 1 else ''}" for status, count in counts.items() if count]
    console.print(", ".join(words), style="red" if counts["problem"] else "yellow")


def examine() -> Iterator[DoctorFinding]:
    """Yield each finding as soon as it is known."""
    settings, findings = _settings()
    yield from _python()
    yield from _program(settings)
    yield from findings
    checks: list[Callable[[Settings], Iterator[DoctorFinding]]] = [_home, _daemon, _database, _git, _clients]
    for check in checks:
        try:
            yield from check(settings)
        except (OSError, subprocess.SubprocessError) as error:
            yield DoctorFinding(
                check=check.__name__.strip("_"), status="problem", message=f"could not be checked: {error}"
            )


def _settings() -> tuple[Settings, list[DoctorFinding]]:
    try:
        settings = load()
    except BadSetting as error:
        settings = Settings(home=Path(daemon.home_directory()))
        fix = "Correct it; 'mission config' lists the settings."
        return settings, [
            DoctorFinding(check="settings", status="problem", message=str(error), fix=fix),
            *_variables(),
        ]
    where = str(settings.file_path) if settings.file_path.exists() else "defaults, no settings file"
    return settings, [DoctorFinding(check="settings", status="ok", message=where), *_variables()]


def _variables() -> Iterator[DoctorFinding]:
    for sentence in unknown_variables():
        yield DoctorFinding(check="settings", status="warning", message=sentence, fix="Correct its name or unset it.")


def _python() -> Iterator[DoctorFinding]:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= OLDEST_PYTHON
    fix = None if good else f"Install Mission Control with Python {'.'.join(map(str, OLDEST_PYTHON))} or newer."
    yield DoctorFinding(check="python", status="ok" if good else "problem", message=version, fix=fix)


def _program(settings: Settings) -> Iterator[DoctorFinding]:
    ours, found = connect.mission_command(settings).program, shutil.which("mission")
    if found is None:
        fix = f"Run it as {ours}, or add {Path(ours).parent} to PATH (with pipx: 'pipx ensurepath')."
        yield DoctorFinding(check="program", status="warning", message="'mission' is not on PATH", fix=fix)
    elif Path(found).resolve() != Path(ours).resolve() and Path(ours).name == "mission":
        message = f"'mission' on PATH is {found}, but this is {ours}"
        yield DoctorFinding(
            check="program", status="warning", message=message, fix="Remove one of the two installations."
        )
    else:
        yield DoctorFinding(check="program", status="ok", message=f"{found}, version {__version__}")


def _home(settings: Settings) -> Iterator[DoctorFinding]:
    home = settings.home
    if not home.exists():
        yield _future_home(home)
        return
    facts = home.stat()
    if not stat.S_ISDIR(facts.st_mode):
        fix = "Move the file, or set MISSION_HOME to a folder."
        yield DoctorFinding(check="home", status="problem", message=f"{home} is not a folder", fix=fix)
        return
    if facts.st_uid != os.getuid():
        fix = f"Take ownership (sudo chown -R {os.getuid()} {shlex.quote(str(home))}), or change MISSION_HOME."
        yield DoctorFinding(check="home", status="problem", message=f"{home} belongs to another user", fix=fix)
    elif not os.access(home, os.W_OK | os.X_OK):
        fix = f"chmod u+rwx {shlex.quote(str(home))}"
        yield DoctorFinding(check="home", status="problem", message=f"{home} is not writable", fix=fix)
    else:
        yield DoctorFinding(check="home", status="ok", message=str(home))
    for secret in (settings.token_path, settings.daemon_path):
        yield from _secret(secret)
    yield from _space(home)


def _future_home(home: Path) -> DoctorFinding:
    above = next(folder for folder in home.parents if folder.exists())
    if above.is_dir() and os.access(above, os.W_OK | os.X_OK):
        return DoctorFinding(check="home", status="ok", message=f"{home} will be created on first start")
    message = f"{home} cannot be created: {above} is not writable"
    return DoctorFinding(check="home", status="problem", message=message, fix="Set MISSION_HOME to a writable folder.")


def _secret(file: Path) -> Iterator[DoctorFinding]:
    if file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
        mode = stat.S_IMODE(file.stat().st_mode)
        message = f"{file} contains a secret and is accessible to others (mode {mode:04o})"
        yield DoctorFinding(check="home", status="problem", message=message, fix=f"chmod 600 {shlex.quote(str(file))}")


def _space(home: Path) -> Iterator[DoctorFinding]:
    free = shutil.disk_usage(home).free
    message = f"{free / 1024**3:.1f} GB free"
    if free < TOO_LITTLE_SPACE:
        yield DoctorFinding(
            check="disk", status="problem", message=message, fix="Free some space; writes are about to fail."
        )
    elif free < LITTLE_SPACE:
        yield DoctorFinding(check="disk", status="warning", message=message, fix="Free some space soon.")
    else:
        yield DoctorFinding(check="disk", status="ok", message=message)


def _daemon(settings: Settings) -> Iterator[DoctorFinding]:
    running = daemon.find(settings)
    if running is None:
        yield from _no_daemon(settings)
    elif not _answers(running):
        yield _silent(settings, running)
    elif running.version != __version__:
        message = f"version {running.version} is running at {running.url}, but this program is {__version__}"
        yield DoctorFinding(
            check="daemon", status="warning", message=message, fix="mission down && mission up --detach"
        )
    else:
        yield DoctorFinding(check="daemon", status="ok", message=f"running at {running.url}, pid {running.pid}")


def _no_daemon(settings: Settings) -> Iterator[DoctorFinding]:
    written = daemon.read(settings.home)
    if written is not None and daemon.seems_alive(written):
        yield _silent(settings, written)
    elif settings.port and _is_taken(settings):
        message = f"not running, but another program is listening on {settings.host}:{settings.port}"
        fix = "Stop that program, or set MISSION_PORT to a free port."
        yield DoctorFinding(check="daemon", status="problem", message=message, fix=fix)
    else:
        stopped = daemon.stopped_since(settings) is not None
        words = "stopped with 'mission down'; 'mission up' starts it" if stopped else "it starts when an agent connects"
        yield DoctorFinding(check="daemon", status="ok", message=f"not running; {words}")


def _answers(running: daemon.Daemon) -> bool:
    try:
        return daemon.health(running) is not None
    except OSError:
        return False


def _silent(settings: Settings, found: daemon.Daemon) -> DoctorFinding:
    message = f"pid {found.pid} should be listening at {found.url} but does not respond"
    fix = f"See {settings.log_path}; 'mission down --force' stops it."
    return DoctorFinding(check="daemon", status="problem", message=message, fix=fix)


def _is_taken(settings: Settings) -> bool:
    try:
        socket.create_connection((settings.host, settings.port), timeout=1).close()
    except OSError:
        return False
    return True


def _database(settings: Settings) -> Iterator[DoctorFinding]:
    url = settings.database_url
    if url.startswith("postgres"):
        yield from _postgres(url)
    elif url and not url.startswith("sqlite:///"):
        fix = "Use postgresql://… or sqlite:///…, or leave it empty."
        yield DoctorFinding(
            check="database", status="problem", message="database_url has an unsupported scheme", fix=fix
        )
    else:
        yield from _sqlite(Path(url.removeprefix("sqlite:///")) if url else settings.sqlite_path)


def _postgres(url: str) -> Iterator[DoctorFinding]:
    from mission.store.backends.postgres import PostgresBackend
    from mission.store.errors import DatabaseFailure  # deferred like the store: only PostgreSQL needs it
    from mission.store.logs.audit import Audit
    from mission.store.migrate import HEAD, revision_of

    try:
        backend = PostgresBackend(url, role="doctor")
        with backend.connect() as connection:
            revision = revision_of(connection)
            faults = list(_faults(Audit(connection))) if revision == HEAD else []
        backend.close()
    except (DatabaseFailure, MissionError) as error:
        message = f"could not connect to PostgreSQL: {str(getattr(error, 'orig', error)).splitlines()[0]}"
        fix = "Check that the server is running and that MISSION_DATABASE_URL is correct."
        yield DoctorFinding(check="database", status="problem", message=message, fix=fix)
        return
    yield _revision("PostgreSQL", revision)
    yield from faults


def _sqlite(path: Path) -> Iterator[DoctorFinding]:
    if not path.exists():
        yield DoctorFinding(check="database", status="ok", message=f"{path} will be created on first start")
        return
    try:
        revision, wrong = _read_sqlite(path)
    except sqlite3.OperationalError as error:  # caused by the environment: a backup would not help
        fix = "Check the disk and the file's permissions, then try again."
        yield DoctorFinding(check="database", status="problem", message=f"{path} cannot be read: {error}", fix=fix)
        return
    except sqlite3.DatabaseError as error:
        wrong, revision = str(error), None
    if wrong is not None:
        message = f"{path} is damaged or not a database: {wrong}"
        fix = "Stop the daemon ('mission down'), then restore a backup with 'mission restore'."
        yield DoctorFinding(check="database", status="problem", message=message, fix=fix)
        return
    yield _lost(path) if revision is None and _was_used(path) else _revision(str(path), revision)
    yield from _sqlite_faults(path, revision)


def _sqlite_faults(path: Path, revision: str | None) -> Iterator[DoctorFinding]:
    from mission.store.backends.sqlite import read_only
    from mission.store.errors import DatabaseFailure  # deferred like the store
    from mission.store.logs.audit import Audit
    from mission.store.migrate import HEAD

    if revision != HEAD:
        return
    try:
        with read_only(path) as connection:
            yield from _faults(Audit(connection))
    except DatabaseFailure as error:
        message = f"the audit trail cannot be read: {getattr(error, 'orig', error)}"
        fix = "Stop the daemon ('mission down'), then restore a backup with 'mission restore'."
        yield DoctorFinding(check="errors", status="problem", message=message, fix=fix)


def _faults(audit: Audit) -> Iterator[DoctorFinding]:
    """Yield whether Mission Control itself failed recently, and where to look."""
    found = audit.faults(since=utc_now() - RECENT)
    if found is None:
        yield DoctorFinding(check="errors", status="ok", message="no internal errors in the last 24 hours")
        return
    errors = f"{found.total} internal error{'s' if found.total > 1 else ''} in the last 24 hours"
    message = f"{errors}; the newest is {found.newest} ({found.tool}, {ago(format_time(found.at))})"
    yield DoctorFinding(check="errors", status="warning", message=message, fix=f"mission audit {found.newest}")


def _was_used(path: Path) -> bool:
    from mission.store.backends.file_locks import FileLockUsers

    return FileLockUsers(path.with_name("database.lock"), role="doctor").was_entered


def _lost(path: Path) -> DoctorFinding:
    fix = "Restore a backup with 'mission restore', or delete the file to start with an empty database."
    message = f"{path} is empty, but it contained data before"
    return DoctorFinding(check="database", status="problem", message=message, fix=fix)


def _read_sqlite(path: Path) -> tuple[str | None, str | None]:
    """Return the schema's revision and the problem found by the quick check, if any."""
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
    try:
        tables = connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'").fetchone()
        row = connection.execute("SELECT version_num FROM alembic_version").fetchone() if tables[0] else None
        deadline = time.monotonic() + QUICK_CHECK_SECONDS
        connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 100_000)
        try:
            answer = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        except sqlite3.OperationalError:
            if time.monotonic() <= deadline:
                raise
            answer = "ok"  # a large database: the part read in time was fine
    finally:
        connection.close()
    return (row[0] if row else None), (None if answer == "ok" else answer)


def _revision(where: str, revision: str | None) -> DoctorFinding:
    from mission.store.migrate import HEAD

    if revision == HEAD:
        return DoctorFinding(check="database", status="ok", message=f"{where}, revision {revision}")
    if revision is None or revision < HEAD:
        message = f"{where}: revision {revision or 'none'}, will be migrated to {HEAD} on next start"
        return DoctorFinding(
            check="database", status="warning", message=message, fix="mission down && mission up --detach"
        )
    message = f"{where}: revision {revision} is from a newer version of Mission Control (this one has {HEAD})"
    return DoctorFinding(check="database", status="problem", message=message, fix="Upgrade Mission Control.")


def _git(_settings: Settings) -> Iterator[DoctorFinding]:
    wanted = ".".join(map(str, OLDEST_GIT))
    program = shutil.which("git")
    if program is None:
        fix = f"Install git {wanted} or newer; it is needed to determine which files changed."
        yield DoctorFinding(check="git", status="problem", message="not found on PATH", fix=fix)
        return
    answer = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=10)
    found = re.search(r"(\d+)\.(\d+)[\w.]*", answer.stdout)
    if found is None:
        yield DoctorFinding(
            check="git", status="problem", message=f"{program} does not report its version", fix="Reinstall git."
        )
    elif (int(found[1]), int(found[2])) < OLDEST_GIT:
        fix = f"Install git {wanted} or newer."
        yield DoctorFinding(check="git", status="problem", message=f"version {found[0]} is too old", fix=fix)
    else:
        yield DoctorFinding(check="git", status="ok", message=f"version {found[0]}")


def _clients(settings: Settings) -> Iterator[DoctorFinding]:
    place = connect.here()
    adapters = list(discover().values())
    with ThreadPoolExecutor() as pool:
        for findings in pool.map(lambda adapter: list(_client(adapter, place, settings)), adapters):
            yield from findings


def _client(adapter: Adapter, place: ConfigLocation, settings: Settings) -> Iterator[DoctorFinding]:
    installed = connect.find_program(adapter)
    name = f"{adapter.title} {installed.version or ''}".strip() if installed else f"{adapter.title} (not installed)"
    seen = False
    for scope in ConfigScope:
        try:
            found = connect.get_connection(adapter, place, scope)
        except MissionError as error:
            seen = True
            fix = "Fix the file; Mission Control does not change a file it cannot read."
            yield DoctorFinding(check="client", status="problem", message=f"{name}: {error.message}", fix=fix)
            continue
        if found.is_set_up or found.hooks:
            seen = True
            yield _connection(name, adapter, scope, found, settings)
    if not seen and installed:
        yield DoctorFinding(check="client", status="ok", message=f"{name}: not set up ('mission setup {adapter.name}')")


def _connection(
    name: str, adapter: Adapter, scope: ConfigScope, found: connect.ClientConnection, settings: Settings
) -> DoctorFinding:
    again = f"mission setup {adapter.name}" + (" --scope project" if scope is ConfigScope.PROJECT else "")
    programs = [found.argv[0]] if found.argv else []
    programs += [_program_of(line) for line in found.hooks]
    missing = sorted({program for program in programs if shutil.which(program) is None})
    where = f"{name}, {scope.value} scope"
    if missing:
        message = f"{where}: it is configured to start {missing[0]}, which does not exist"
        return DoctorFinding(check="client", status="problem", message=message, fix=f"Run '{again}' again.")
    home = Path(found.home) if found.home else default_home({})
    if found.is_set_up and home != settings.home:
        message = f"{where}: its agents use {home}, but you are using {settings.home}"
        return DoctorFinding(
            check="client", status="warning", message=message, fix=f"Run '{again}' again if that is not intended."
        )
    parts = ["set up" if found.is_set_up else "not set up", *(["hooks installed"] if found.hooks else [])]
    return DoctorFinding(check="client", status="ok", message=f"{where}: {', '.join(parts)}")


def _program_of(line: str) -> str:
    """Return the program that a hook starts, without its environment settings."""
    words = [word for word in shlex.split(line) if not re.match(r"[A-Z_]+=", word)]
    return words[1] if words[0] == "env" and len(words) > 1 else words[0]
