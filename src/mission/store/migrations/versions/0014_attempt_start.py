"""When the current attempt at a task began: estimates count from there, not from the first start."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime

revision = "0014"
down_revision = "0013"

LATEST_START = """
    UPDATE tasks SET attempt_started_at = CASE
        WHEN claimed_at > started_at AND (completed_at IS NULL OR claimed_at < completed_at) THEN claimed_at
        ELSE started_at
    END
    WHERE started_at IS NOT NULL AND status NOT IN ('pending', 'planning')
"""
"""A claim after the first start began another attempt."""


def upgrade() -> None:
    op.add_column("tasks", sa.Column("attempt_started_at", UtcTime))
    op.execute(LATEST_START)
