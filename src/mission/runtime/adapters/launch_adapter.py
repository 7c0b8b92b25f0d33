"""The description of a launchable client: its capabilities, how to start it and how to read its output."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from mission.domain.executions.signals import Delivery
from mission.runtime.adapters.client_events import ReadEvent

SIGNALS = "open-mission-mcp"
MISSION = "mission"
SIGNALS_TOKEN = "OPEN_MISSION_MCP_TOKEN"
SIGNALS_URL = "OPEN_MISSION_MCP_URL"
MISSION_TOKEN = "MISSION_TOKEN"

COMMON_VARIABLES = (
    *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ", "TMPDIR", "XDG_*", "SSH_AUTH_SOCK"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "COLORTERM", "VIRTUAL_ENV"),
)
"""Variables that every launched program inherits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Capabilities:
    """The capabilities of a client, independent of what one execution uses."""

    supported: Sequence[Delivery]
    preferred: Delivery
    requires_runtime_config: bool = False
    supports_stdio_bridge: bool = False
    supports_dynamic_tools: bool = False

    def as_dict(self) -> dict[str, Any]:
        return {
            "supported": [str(each) for each in self.supported],
            "preferred": str(self.preferred),
            "provisioning": {
                "requiresRuntimeConfig": self.requires_runtime_config,
                "supportsStdioBridge": self.supports_stdio_bridge,
                "supportsDynamicTools": self.supports_dynamic_tools,
            },
        }


SPEAKS_MCP = Capabilities(
    supported=(Delivery.MCP_TOOL, Delivery.STDOUT_MARKER),
    preferred=Delivery.MCP_TOOL,
    requires_runtime_config=True,
    supports_stdio_bridge=True,
    supports_dynamic_tools=True,
)
PRINTS_ONLY = Capabilities(supported=(Delivery.STDOUT_MARKER,), preferred=Delivery.STDOUT_MARKER)


@dataclass(frozen=True, kw_only=True, slots=True)
class Server:
    """An MCP server for the agent. Its access token is in the environment, under `token_variable`."""

    name: str
    url: str
    token_variable: str

    def header(self, form: str) -> dict[str, str]:
        """Return the headers with the access token, in the client's syntax for a variable ('${V}', '{env:V}' …)."""
        return {"Authorization": "Bearer " + form.replace("V", self.token_variable)}


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchPlan:
    """The launch that an adapter prepares. `folder` is private and removed when the execution ends."""

    program: str
    prompt: str
    folder: Path
    directory: Path
    servers: Sequence[Server] = ()
    interactive: bool = False
    session_id: str = ""
    resume: str | None = None
    """The client's session to resume."""
    arguments: Sequence[str] = ()
    """Arguments that the operator adds to the command line."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that the client inherits."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Preparation:
    """A command line without secrets, its variables, and the files and links of its folder by name.

    A link points to the user's own file or folder; a missing target is created as a folder.
    """

    argv: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    links: Mapping[str, Path] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class LaunchAdapter:
    """One launchable client. Without `read` its output is plain text that may contain markers."""

    name: str
    title: str
    program: str
    runtime: str
    capabilities: Capabilities
    prepare: Callable[[LaunchPlan], Preparation]
    read: ReadEvent | None = None
    interactive: bool = True
    resumes: bool = True
    variables: Sequence[str] = ()
    interrupt_keys: str = "\x1b"
    submit_keys: str = "\r"

    def own_variables(self, given: Mapping[str, str]) -> list[str]:
        """Return the names of the client's own variables among these, such as its API keys."""
        return sorted(name for name in given if any(fnmatchcase(name, pattern) for pattern in self.variables))

    def environment(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the variables that the client may see."""
        patterns = (*COMMON_VARIABLES, *self.variables)
        return {name: value for name, value in given.items() if any(fnmatchcase(name, pattern) for pattern in patterns)}


def http_entries(servers: Sequence[Server], *, form: str, **more: Any) -> dict[str, Any]:
    """Return the entries of HTTP servers in the format most clients use."""
    return {each.name: {"type": "http", "url": each.url, "headers": each.header(form), **more} for each in servers}


def launches() -> dict[str, LaunchAdapter]:
    """Return every client that can be launched, by name: the adapter modules that define LAUNCH."""
    package = importlib.import_module("mission.runtime.adapters")
    modules = [
        importlib.import_module(f"{package.__name__}.{each.name}") for each in pkgutil.iter_modules(package.__path__)
    ]
    found = [module.LAUNCH for module in modules if hasattr(module, "LAUNCH")]
    return {launch.name: launch for launch in found}
