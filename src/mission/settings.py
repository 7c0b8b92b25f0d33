"""What can be set, from where (environment, settings file, default), and where Mission Control keeps its things.

Standard library only: the stdio bridge reads it on its way to the first answer.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from dataclasses import field as dataclass_field
from pathlib import Path
from typing import Any

from mission.spelling import nearest

DEFAULT_PORT = 6477


class BadSetting(Exception):
    """A setting cannot be read; the message names it, its source and what is allowed."""


def _setting(default: Any, doc: str, *, minimum: float | None = None, secret: bool = False) -> Any:
    return dataclass_field(default=default, metadata={"doc": doc, "minimum": minimum, "secret": secret})


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The settings in force. Each can be given as MISSION_<NAME> or as <name> in settings.toml."""

    home: Path
    sources: Mapping[str, str] = dataclass_field(default_factory=dict)
    database_url: str = _setting("", "Database to use; empty means SQLite in MISSION_HOME", secret=True)
    host: str = _setting("127.0.0.1", "Address the daemon listens on")
    port: int = _setting(DEFAULT_PORT, "Port the daemon listens on", minimum=0)
    allowed_hosts: str = _setting("", "More Host names the daemon answers to, separated by commas")
    toolsets: str = _setting("mission", "Toolsets that a client sees when it asks for none")
    lease_seconds: float = _setting(900.0, "How long a claim lasts without a sign of life", minimum=1)
    heartbeat_seconds: float = _setting(30.0, "How often an agent should send a heartbeat", minimum=1)
    retry_seconds: float = _setting(1.0, "Pause before a call that failed in passing is tried again", minimum=0)
    keep_events_days: float = _setting(90.0, "Events older than this are removed; 0 keeps them", minimum=0)
    keep_audit_days: float = _setting(90.0, "Audit entries older than this are removed; 0 keeps them", minimum=0)
    keep_audit_rows: int = _setting(
        1_000_000,
        "Of more audit entries than this (1,000,000 take about 1 GB) the oldest are removed; 0 keeps them",
        minimum=0,
    )
    keep_observations_days: float = _setting(
        90.0, "What launched agents said is removed when they ended longer ago than this; 0 keeps it", minimum=0
    )
    mask_names: str = _setting("", "More words in names of fields that the audit masks, separated by commas")
    mask_pattern: str = _setting("", "Regular expression: what matches in a text is masked in the audit")
    audit_text: int = _setting(2_000, "Texts longer than this many characters are cut in the audit", minimum=100)
    keep_backups: int = _setting(5, "How many automatic backups are kept", minimum=1)
    host_id: str = _setting(
        os.uname().nodename or "localhost", "Name of this machine: paths on it are worked on only here"
    )
    permissions: str = _setting(
        "", "Rules for types of agents beside the built-in ones: a table per type, each with allow, deny or without"
    )
    worktrees: str = _setting("", "Folder for new worktrees; empty means 'worktrees' in MISSION_HOME")
    setup_seconds: float = _setting(600.0, "How long the setup command of a new worktree may run", minimum=1)
    webhook_url: str = _setting("", "Address that gets events as they happen; empty sends none", secret=True)
    webhook_secret: str = _setting("", "Secret that signs what the webhook gets", secret=True)
    webhook_events: str = _setting("queue:created,mail.sent", "Events for the webhook, by commas; * means any text")
    desktop_notifications: str = _setting("off", "on shows what comes into the queue on your desktop; on or off")
    log_level: str = _setting("info", "debug, info, warning or error")

    @property
    def sqlite_path(self) -> Path:
        return self.home / "mission.db"

    @property
    def token_path(self) -> Path:
        return self.home / "token"

    @property
    def sessions_path(self) -> Path:
        return self.home / "ended-sessions"

    @property
    def daemon_path(self) -> Path:
        return self.home / "daemon.json"

    @property
    def log_path(self) -> Path:
        return self.home / "daemon.log"

    @property
    def file_path(self) -> Path:
        return self.home / "settings.toml"

    @property
    def host_path(self) -> Path:
        """Keeps the machine's first name: that of a laptop changes with the network it is in."""
        return self.home / "host_id"

    @property
    def snapshots_path(self) -> Path:
        return self.home / "snapshots"

    @property
    def worktrees_path(self) -> Path:
        return self.home / "worktrees"

    @property
    def backups_path(self) -> Path:
        return self.home / "backups"


NAMES = tuple(field.name for field in fields(Settings) if field.name not in {"home", "sources"})
OTHER_VARIABLES = ("MISSION_HOME", "MISSION_TOKEN", "MISSION_HOOK_DEBUG", "MISSION_PROMPT_FILE")
"""What is read from the environment without being a setting."""


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Where the platform keeps the data of a user's programs."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "mission-control"
    data = environment.get("XDG_DATA_HOME")
    return (Path(data) if data and Path(data).is_absolute() else Path.home() / ".local" / "share") / "mission-control"


def load(environment: Mapping[str, str] = os.environ, *, ignore_file: bool = False, **overrides: Any) -> Settings:
    """The settings in force: command line over environment over settings file over default."""
    given = environment.get("MISSION_HOME")
    home = Path(given).expanduser().absolute() if given else default_home(environment)
    settings = Settings(home=home)
    values: dict[str, Any] = {}
    sources = {"home": "MISSION_HOME" if given else "default"}
    for name, value in ({} if ignore_file else _from_file(settings.file_path)).items():
        values[name] = _convert(name, value, source="settings.toml")
        sources[name] = "settings.toml"
    for name in NAMES:
        variable = f"MISSION_{name.upper()}"
        if environment.get(variable):
            values[name] = _convert(name, environment[variable], source=variable)
            sources[name] = variable
    if "host_id" not in values and (kept := _kept(settings.host_path)):
        values["host_id"], sources["host_id"] = kept, "first start"
    for name, value in overrides.items():
        if value is not None:
            values[name] = _convert(name, value, source="command line")
            sources[name] = "command line"
    return replace(settings, **values, sources=sources)


def load_or_default(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings in force; with a wrong one among them the defaults, so that a running daemon stays in reach."""
    try:
        return load(environment)
    except BadSetting:
        return load(
            {name: environment[name] for name in ("MISSION_HOME", "XDG_DATA_HOME") if name in environment},
            ignore_file=True,
        )


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """A sentence about each variable that looks like ours and that nothing reads: most likely it is misspelled."""
    known = [*(f"MISSION_{name.upper()}" for name in NAMES), *OTHER_VARIABLES]
    found = []
    for name, value in sorted(environment.items()):
        if value and name.startswith("MISSION_") and name not in known:
            near = _nearest(name, [variable.removeprefix("MISSION_").lower() for variable in known])
            advice = f"did you mean MISSION_{near.upper()}?" if near else "'mission config' lists what can be set"
            found.append(f"{name} is set, but nothing reads it; {advice}")
    return found


def _nearest(name: str, known: Sequence[str]) -> str | None:
    return nearest(name.lower().removeprefix("mission_"), known)


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Each setting with its value and where it came from, secrets masked."""
    where = settings.sources.get("home", "default")
    rows = [{"name": "home", "value": str(settings.home), "source": where, "doc": "Where data lives"}]
    for field in fields(Settings):
        if field.name not in NAMES:
            continue
        value = getattr(settings, field.name)
        rows.append(
            {
                "name": field.name,
                "value": _masked(value) if field.metadata["secret"] else _plain(value),
                "source": settings.sources.get(field.name, "default"),
                "doc": field.metadata["doc"],
            }
        )
    return rows


def _kept(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def _from_file(path: Path) -> dict[str, Any]:
    try:
        text = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise BadSetting(f"{path} cannot be read: {error.strerror}") from None
    import tomllib  # deferred: most starts have no settings file

    try:
        values = tomllib.loads(text.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSetting(f"{path} is not valid TOML: {error}") from None
    unknown = sorted(set(values) - set(NAMES))
    if unknown:
        near = _nearest(unknown[0], NAMES)
        advice = f"did you mean {near}?" if near else f"known are: {', '.join(NAMES)}"
        raise BadSetting(f"{path}: unknown setting '{unknown[0]}'; {advice}")
    return values


def _convert(name: str, value: Any, *, source: str) -> Any:
    field = next(field for field in fields(Settings) if field.name == name)
    kind: Any = type(field.default)
    try:
        if kind is not str and isinstance(value, bool):
            raise ValueError
        converted = kind(value)
    except (TypeError, ValueError):
        raise BadSetting(f"{source}: {name} must be a {_KIND_WORDS[kind]}, not '{value}'") from None
    minimum = field.metadata["minimum"]
    if minimum is not None and not converted >= minimum:
        raise BadSetting(f"{source}: {name} must be at least {minimum}, not {converted}")
    if name == "port" and converted > 65535:
        raise BadSetting(f"{source}: port must be at most 65535, not {converted}")
    if name == "mask_pattern":
        return _pattern(converted, source=source)
    if name == "permissions":
        return _rules(value, source=source)
    if name == "log_level" and converted not in {"debug", "info", "warning", "error"}:
        raise BadSetting(f"{source}: log_level must be debug, info, warning or error, not '{converted}'")
    if name == "desktop_notifications" and converted not in {"on", "off"}:
        raise BadSetting(f"{source}: desktop_notifications must be on or off, not '{converted}'")
    if name == "webhook_url" and converted and not converted.startswith(("http://", "https://")):
        raise BadSetting(f"{source}: webhook_url must begin with http:// or https://")
    return converted


def _pattern(text: str, *, source: str) -> str:
    import re  # deferred: most starts have no such setting

    try:
        re.compile(text)
    except re.error as error:
        raise BadSetting(f"{source}: mask_pattern is no regular expression: {error}") from None
    return text


AGENT_TYPES = ("SUPERVISOR", "ORCHESTRATOR", "WORKER")
_RULE_LISTS = ("allow", "deny", "without")


def _rules(value: Any, *, source: str) -> str:
    """Rules of permission as JSON: a table in settings.toml, or the same as JSON text."""
    import json  # deferred: most starts have no such rules

    try:
        rules = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        rules = None
    if not isinstance(rules, dict):
        raise BadSetting(f"{source}: permissions must be a table with a table of rules for a type of agent")
    for kind, lists in rules.items():
        if kind not in AGENT_TYPES:
            raise BadSetting(f"{source}: permissions.{kind} is no type of agent; use {', '.join(AGENT_TYPES)}")
        if not isinstance(lists, dict) or not set(lists) <= set(_RULE_LISTS):
            raise BadSetting(f"{source}: permissions.{kind} takes only {', '.join(_RULE_LISTS)}")
        for name, patterns in lists.items():
            if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
                raise BadSetting(f"{source}: permissions.{kind}.{name} must be a list of patterns such as 'task_*'")
    return json.dumps(rules)


_KIND_WORDS = {int: "whole number", float: "number", str: "text"}


def _plain(value: Any) -> Any:
    """900 rather than 900.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _masked(secret: str) -> str:
    """An address without its password, which stands between the user's name and the last '@'; of one on the web the
    host alone, since its path may be a key; of any other secret nothing."""
    scheme, marks, rest = secret.partition("://")
    if not marks:
        return "***" if secret else ""
    credentials, at, place = rest.rpartition("@")
    if scheme in {"http", "https"}:
        host, slash, _path = place.partition("/")
        return f"{scheme}://{host}{slash and '/***'}"
    user, colon, _password = credentials.partition(":")
    return f"{scheme}{marks}{user}:***@{place}" if at and colon else secret
