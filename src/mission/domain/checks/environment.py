"""The environment of a check: parts of the daemon's, the check's own variables, and those of its worktree."""

from __future__ import annotations

from collections.abc import Mapping

from mission.domain.checks.slot import TreeSlot

INHERITED = frozenset(
    {
        *("HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TERM", "TZ"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        *("NODE_EXTRA_CA_CERTS", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR"),
        *("JAVA_HOME", "ANDROID_HOME", "ANDROID_SDK_ROOT", "GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE"),
        *("CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "NVM_DIR", "VOLTA_HOME", "SDKROOT", "DEVELOPER_DIR"),
        *("LD_LIBRARY_PATH", "NIX_PATH", "DOCKER_HOST"),
    }
)
"""Variables of the daemon that a check sees, in addition to LC_*: no tokens, no keys, nothing that directs git."""
PROXIES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"})
"""Variables of the daemon that a check sees unless they contain a password; also in lower case."""
RESERVED = ("MISSION_", "OPEN_MISSION_")
"""Prefixes of variables that only Mission Control sets."""
DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin"


def check_environment(
    inherited: Mapping[str, str],
    *,
    path: str | None,
    env: Mapping[str, str],
    task_id: str | None,
    slot: TreeSlot | None,
) -> dict[str, str]:
    """Return the environment of a check, without its TMPDIR.

    `inherited` is the daemon's environment, `path` the PATH stored with the check, and `env` the check's own variables.
    """
    passed_on = {name: value for name, value in inherited.items() if _is_passed_on(name, value)}
    own = {name: value for name, value in env.items() if not is_reserved(name)}
    ours = slot.variables() if slot is not None else {}
    if task_id is not None:
        ours["MISSION_TASK_ID"] = task_id
    return {**passed_on, "PATH": path or inherited.get("PATH") or DEFAULT_PATH, "CI": "1", **own, **ours}


def is_reserved(name: str) -> bool:
    """Return whether only Mission Control may set the variable."""
    return name.upper().startswith(RESERVED)


def _is_passed_on(name: str, value: str) -> bool:
    if name.upper() in PROXIES:
        return "@" not in value
    return name in INHERITED or name.startswith("LC_")
