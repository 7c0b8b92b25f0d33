"""Ids in commands: the beginning of one is enough as long as no other id begins like that."""

from __future__ import annotations

import re

import click

from mission.domain.ids import KINDS, LENGTH
from mission.transports.bridge.daemon_process import DaemonUnavailable, ToolFailed
from mission.transports.cli import daemon_client as daemon

_SHORTENED = re.compile(rf"(?:{'|'.join(KINDS)})_[0-9a-z]{{1,{LENGTH - 1}}}")


def whole_id(value: str) -> str:
    """Return the whole id; text that is not a shortened id stays as it is, for the command to judge."""
    if not _SHORTENED.fullmatch(value):
        return value
    try:
        found = daemon.call("overview_ids", {"prefix": value})["ids"]
    except (ToolFailed, DaemonUnavailable):
        return value  # the command's own call reports the problem better
    if len(found) > 1:
        raise click.BadParameter(f"'{value}' is the beginning of several ids: {', '.join(found)}")
    return str(found[0]) if found else value
