"""Names next to ids: what people call the missions, tasks and agents that a result refers to."""

from __future__ import annotations

from collections.abc import Iterable

from mission.transports.cli import daemon_client as client

MAX_AT_ONCE = 1_000


def names_of(ids: Iterable[str | None]) -> dict[str, str]:
    """Return the names of missions, tasks and agents by id, as far as they exist and the caller may read them."""
    wanted = sorted({id for id in ids if id})[:MAX_AT_ONCE]
    found = client.call_if_allowed("overview_names", {"ids": wanted}) if wanted else None
    return dict((found or {}).get("names", {}))


def with_name(id: str, names: dict[str, str]) -> str:
    """Return an id with the name in front of it, such as 'Token check (t_3k9x0a7q2f)'."""
    return f"{names[id]} ({id})" if id in names else id
