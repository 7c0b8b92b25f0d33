"""How many lines each task added and removed, counted when its patch is stored."""

import base64
import json
import zlib

import sqlalchemy as sa
from alembic import op

from mission.store.columns import json_type

revision = "0020"
down_revision = "0018"

_PATCHES = sa.table(
    "task_patches",
    sa.column("task_id", sa.Text),
    sa.column("content", sa.Text),
    sa.column("added", sa.Integer),
    sa.column("removed", sa.Integer),
    sa.column("lines", json_type()),
)


def upgrade() -> None:
    op.add_column("task_patches", sa.Column("added", sa.Integer, nullable=False, server_default="0"))
    op.add_column("task_patches", sa.Column("removed", sa.Integer, nullable=False, server_default="0"))
    op.add_column("task_patches", sa.Column("lines", json_type()))
    connection = op.get_bind()
    ids = connection.execute(sa.select(_PATCHES.c.task_id)).scalars().all()
    for task_id in ids:
        row = _PATCHES.c.task_id == task_id
        content = connection.execute(sa.select(_PATCHES.c.content).where(row)).scalar_one()
        connection.execute(sa.update(_PATCHES).where(row).values(_counted(content)))


def _counted(content: str) -> dict[str, object]:
    """Return the counts of a stored patch; a damaged one has none."""
    try:
        files = json.loads(zlib.decompress(base64.b64decode(content, validate=True)))["files"]
    except (ValueError, zlib.error, KeyError, TypeError):
        return {"lines": {}}
    lines = {path: _count(text) if whole else None for path, (text, whole, _) in files.items()}
    known = [each for each in lines.values() if each is not None]
    return {"lines": lines, "added": sum(each[0] for each in known), "removed": sum(each[1] for each in known)}


def _count(diff: str) -> list[int]:
    _, _, hunks = f"\n{diff}".partition("\n@@")
    lines = hunks.split("\n")
    return [sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)]
