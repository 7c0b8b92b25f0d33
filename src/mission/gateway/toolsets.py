"""Toolsets: groups of tools that a client chooses from, by name or by role."""

from __future__ import annotations

from mission.domain.errors import InvalidInput
from mission.spelling import nearest

PRESETS = {
    "worker": ("mission", "tasks", "messages"),
    "orchestrator": ("mission", "workflow", "tasks", "agents", "messages", "workspaces", "templates"),
    "supervisor": ("mission", "workflow", "tasks", "agents", "messages", "workspaces", "templates", "crew", "control"),
}
"""Roles as sets of toolsets."""

TOOLSETS = (
    "mission",
    "workflow",
    "tasks",
    "agents",
    "messages",
    "workspaces",
    "templates",
    "crew",
    "control",
)


def parse_toolsets(text: str) -> tuple[str, ...]:
    """Return the toolsets for a comma-separated list of toolsets and roles."""
    chosen: dict[str, None] = {}
    for word in filter(None, (part.strip().lower() for part in text.split(","))):
        if word == "all":
            chosen.update(dict.fromkeys(TOOLSETS))
        elif word in PRESETS:
            chosen.update(dict.fromkeys(PRESETS[word]))
        elif word in TOOLSETS:
            chosen[word] = None
        else:
            known = (*TOOLSETS, *PRESETS, "all")
            close = nearest(word, known)
            raise InvalidInput(
                f"toolsets: '{word[:60]}' is unknown" + (f"; did you mean '{close}'?" if close else ""),
                hint=f"Choose from: {', '.join(known)}.",
                field="toolsets",
            )
    return tuple(chosen)
