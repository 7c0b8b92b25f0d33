"""Settings, their sources (environment, settings file, default), and the paths of Mission Control's data.

Standard library only: the stdio bridge imports it before its first answer.
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
    """A setting is invalid; the message has its name, its source and the allowed values."""


def _setting(default: Any, doc: str, *, minimum: float | None = None, secret: bool = False) -> Any:
    return dataclass_field(default=default, metadata={"doc": doc, "minimum": minimum, "secret": secret})


@dataclass(frozen=True, kw_only=True, slots=True)
class Settings:
    """The effective settings. Each can be set as MISSION_<NAME> or as <name> in settings.toml."""

    home: Path
    sources: Mapping[str, str] = dataclass_field(default_factory=dict)
    database_url: str = _setting("", "Database URL; empty uses SQLite in MISSION_HOME", secret=True)
    host: str = _setting("127.0.0.1", "Address the daemon listens on")
    port: int = _setting(DEFAULT_PORT, "Port the daemon listens on", minimum=0)
    allowed_hosts: str = _setting("", "Additional Host names the daemon accepts, comma-separated")
    toolsets: str = _setting("mission", "Toolsets for clients that do not request any")
    lease_seconds: float = _setting(900.0, "How long a claim lasts without a heartbeat", minimum=1)
    heartbeat_seconds: float = _setting(30.0, "How often an agent should send a heartbeat", minimum=1)
    retry_seconds: float = _setting(1.0, "Pause before a call with a temporary failure is retried", minimum=0)
    keep_events_days: float = _setting(90.0, "Events older than this are deleted; 0 = never", minimum=0)
    keep_audit_days: float = _setting(90.0, "Audit entries older than this are deleted; 0 = never", minimum=0)
    keep_audit_rows: int = _setting(
        1_000_000,
        "Maximum number of audit entries (1,000,000 ≈ 1 GB); older ones are deleted. 0 = unlimited",
        minimum=0,
    )
    keep_observations_days: float = _setting(
        90.0, "Observations of executions that ended longer ago than this are deleted; 0 = never", minimum=0
    )
    mask_names: str = _setting("", "Additional words in names of fields that the audit masks, comma-separated")
    mask_pattern: str = _setting("", "Regular expression for text that the audit masks")
    audit_text: int = _setting(2_000, "Maximum characters of text in the audit; longer text is cut", minimum=100)
    keep_backups: int = _setting(5, "Number of automatic backups to keep", minimum=1)
    host_id: str = _setting(os.uname().nodename or "localhost", "Name of this machine; local paths are tied to it")
    permissions: str = _setting("", "Additional permission rules per agent type (allow, deny, without)")
    worktrees: str = _setting("", "Folder for new worktrees; empty uses 'worktrees' in MISSION_HOME")
    setup_seconds: float = _setting(600.0, "Time limit for the setup command of a new worktree", minimum=1)
    failed_before: str = _setting(
        "pass", "If a check also fails on the start tree: pass completes the task unproved, gate refuses it"
    )
    check_wait_seconds: float = _setting(
        45.0, "How long a reported task waits for its checks; clients give up after about 60 s", minimum=0
    )
    agent_slots: int = _setting(
        0,
        "How many agents of all runs may work at once; 0 = the smaller of cores × 2 and free memory ÷ 1.5 GB",
        minimum=0,
    )
    min_free_gb: float = _setting(5.0, "Free disk space that runs need to launch an agent, in GB", minimum=0)
    daily_usd: float = _setting(0.0, "What all runs together may spend in a day, in USD; 0 = no limit", minimum=0)
    daily_tokens: int = _setting(0, "How many tokens all runs together may use in a day; 0 = no limit", minimum=0)
    daily_minutes: float = _setting(
        0.0, "How many minutes the agents of all runs together may work in a day; 0 = no limit", minimum=0
    )
    daily_launches: int = _setting(0, "How many agents all runs together may launch in a day; 0 = no limit", minimum=0)
    webhook_url: str = _setting("", "URL that receives events as they happen; empty = none", secret=True)
    webhook_secret: str = _setting("", "Secret that signs webhook requests", secret=True)
    webhook_events: str = _setting(
        "queue:created,mail.sent,run:finished", "Events for the webhook, comma-separated; * matches any text"
    )
    desktop_notifications: str = _setting(
        "off", "Desktop notifications for new inbox items and finished runs: on or off"
    )
    log_level: str = _setting("info", "Log level: debug, info, warning or error")

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
        """Return the file with the machine's first name: a laptop's name changes with its network."""
        return self.home / "host_id"

    @property
    def snapshots_path(self) -> Path:
        return self.home / "snapshots"

    @property
    def worktrees_path(self) -> Path:
        return self.home / "worktrees"

    @property
    def checks_path(self) -> Path:
        """Return the folder with the output of checks."""
        return self.home / "checks"

    @property
    def cache_path(self) -> Path:
        """The folder of files that can be made again at any time."""
        return self.home / "cache"

    @property
    def backups_path(self) -> Path:
        return self.home / "backups"


NAMES = tuple(field.name for field in fields(Settings) if field.name not in {"home", "sources"})
OTHER_VARIABLES = ("MISSION_HOME", "MISSION_TOKEN", "MISSION_HOOK_DEBUG", "MISSION_PROMPT_FILE")
"""Environment variables that are not settings."""


def default_home(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the platform's folder for the data of a user's programs."""
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "mission-control"
    data = environment.get("XDG_DATA_HOME")
    return (Path(data) if data and Path(data).is_absolute() else Path.home() / ".local" / "share") / "mission-control"


def load(environment: Mapping[str, str] = os.environ, *, ignore_file: bool = False, **overrides: Any) -> Settings:
    """Return the effective settings: command line over environment over settings file over default."""
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
    """Return the effective settings, or the defaults if one is invalid, so that a running daemon stays reachable."""
    try:
        return load(environment)
    except BadSetting:
        return load(
            {name: environment[name] for name in ("MISSION_HOME", "XDG_DATA_HOME") if name in environment},
            ignore_file=True,
        )


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Return a sentence for each unknown MISSION_ variable, which is probably misspelled."""
    known = [*(f"MISSION_{name.upper()}" for name in NAMES), *OTHER_VARIABLES]
    found = []
    for name, value in sorted(environment.items()):
        if value and name.startswith("MISSION_") and name not in known:
            near = _nearest(name, [variable.removeprefix("MISSION_").lower() for variable in known])
            advice = f"did you mean MISSION_{near.upper()}?" if near else "'mission config' lists the settings"
            found.append(f"{name} is set but unknown; {advice}")
    return found


def _nearest(name: str, known: Sequence[str]) -> str | None:
    return nearest(name.lower().removeprefix("mission_"), known)


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Return each setting with its value and source, with secrets masked."""
    where = settings.sources.get("home", "default")
    rows = [{"name": "home", "value": str(settings.home), "source": where, "doc": "Folder for all data"}]
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
        advice = f"did you mean {near}?" if near else f"known settings: {', '.join(NAMES)}"
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
    if name == "failed_before" and converted not in {"pass", "gate"}:
        raise BadSetting(f"{source}: failed_before must be pass or gate, not '{converted}'")
    if name == "desktop_notifications" and converted not in {"on", "off"}:
        raise BadSetting(f"{source}: desktop_notifications must be on or off, not '{converted}'")
    if name == "webhook_url" and converted and not converted.startswith(("http://", "https://")):
        raise BadSetting(f"{source}: webhook_url must start with http:// or https://")
    return converted


def _pattern(text: str, *, source: str) -> str:
    import re  # deferred: most starts have no such setting

    try:
        re.compile(text)
    except re.error as error:
        raise BadSetting(f"{source}: mask_pattern is not a valid regular expression: {error}") from None
    return text


AGENT_TYPES = ("SUPERVISOR", "ORCHESTRATOR", "WORKER")
_RULE_LISTS = ("allow", "deny", "without")


def _rules(value: Any, *, source: str) -> str:
    """Return permission rules as JSON, from a table in settings.toml or from JSON text."""
    import json  # deferred: most starts have no such rules

    try:
        rules = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        rules = None
    if not isinstance(rules, dict):
        raise BadSetting(f"{source}: permissions must be a table with one table of rules per agent type")
    for kind, lists in rules.items():
        if kind not in AGENT_TYPES:
            raise BadSetting(f"{source}: permissions.{kind} is not an agent type; use {', '.join(AGENT_TYPES)}")
        if not isinstance(lists, dict) or not set(lists) <= set(_RULE_LISTS):
            raise BadSetting(f"{source}: permissions.{kind} accepts only {', '.join(_RULE_LISTS)}")
        for name, patterns in lists.items():
            if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
                raise BadSetting(f"{source}: permissions.{kind}.{name} must be a list of patterns such as 'task_*'")
    return json.dumps(rules)


_KIND_WORDS = {int: "whole number", float: "number", str: "text"}


def _plain(value: Any) -> Any:
    """Return 900 rather than 900.0."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _masked(secret: str) -> str:
    """Return an address without its password, which is between the user name and the last '@'.

    A web address keeps only its host because the path may be a key; any other secret is hidden completely.
    """
    scheme, marks, rest = secret.partition("://")
    if not marks:
        return "***" if secret else ""
    credentials, at, place = rest.rpartition("@")
    if scheme in {"http", "https"}:
        host, slash, _path = place.partition("/")
        return f"{scheme}://{host}{slash and '/***'}"
    user, colon, _password = credentials.partition(":")
    return f"{scheme}{marks}{user}:***@{place}" if at and colon else secret
