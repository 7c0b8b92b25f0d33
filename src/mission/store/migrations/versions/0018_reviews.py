"""Reviews of candidates."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("candidate_id", sa.Text(), sa.ForeignKey("candidates.id", ondelete="CASCADE"), nullable=False),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("task_id", sa.Text(), sa.ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
        sa.Column("commit", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text()),
        sa.Column("execution_id", sa.Text()),
        sa.Column("given", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("criteria", json_type(), nullable=False),
        sa.Column("findings", json_type(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.UniqueConstraint("execution_id", name="uq_reviews_execution_id"),
    )
    op.create_index("ix_reviews_candidate_id_created_at", "reviews", ["candidate_id", "created_at"])
    op.create_index("ix_reviews_task_id_created_at", "reviews", ["task_id", "created_at"])
    op.create_index("ix_reviews_mission_id", "reviews", ["mission_id"])
