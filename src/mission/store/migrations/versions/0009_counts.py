"""Counts kept beside the rows: tasks that wait, and how far each parallel group is."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

WAITING = """
    UPDATE phases SET waiting = (
        SELECT count(*) FROM tasks WHERE tasks.phase_id = phases.id AND tasks.status = 'pending' AND tasks.waiting_for > 0
    )
"""
GROUPS = """
    INSERT INTO parallel_groups (mission_id, name, tasks, done)
    SELECT mission_id, parallel_group, count(*), sum(CASE WHEN status IN ('completed', 'skipped') THEN 1 ELSE 0 END)
    FROM tasks WHERE parallel_group IS NOT NULL GROUP BY mission_id, parallel_group
"""


def upgrade() -> None:
    op.add_column("phases", sa.Column("waiting", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "parallel_groups",
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mission_id"], ["missions.id"], name="fk_parallel_groups_mission_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("mission_id", "name", name="pk_parallel_groups"),
    )
    op.execute(WAITING)
    op.execute(GROUPS)
