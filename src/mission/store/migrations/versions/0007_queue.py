"""What waits for a person."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.create_table(
        "queue_items",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("execution_id", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("entry_id", sa.Text(), nullable=True),
        sa.Column("choices", json_type(), nullable=False),
        sa.Column("once", sa.Text(), nullable=True),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("choice", sa.Integer(), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("closed_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_queue_items_mission_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_queue_items_task_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_queue_items"),
    )
    for columns in (("state", "created_at", "id"), ("once",), ("mission_id",), ("task_id", "state")):
        op.create_index(f"ix_queue_items_{'_'.join(columns)}", "queue_items", list(columns), unique=False)
    op.create_table(
        "incidents",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("told_at", UtcTime(), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_incidents"),
    )
    op.create_table(
        "webhooks",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_webhooks"),
    )
