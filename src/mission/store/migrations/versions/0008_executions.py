"""Launched agents and what they say."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "executions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("adapter", sa.Text(), nullable=False),
        sa.Column("mode", sa.Text(), nullable=False),
        sa.Column("delivery", sa.Text(), nullable=False),
        sa.Column("protocol", json_type(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("directory", sa.Text(), nullable=True),
        sa.Column("resumes", sa.Text(), nullable=True),
        sa.Column("token_hash", sa.Text(), nullable=True),
        sa.Column("process", json_type(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("usage", json_type(), nullable=True),
        sa.Column("progress", json_type(), nullable=True),
        sa.Column("claim", json_type(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("ended_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_executions_mission_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_executions_task_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_executions"),
        sa.UniqueConstraint("token_hash", name="uq_executions_token_hash"),
    )
    for columns in (("created_at", "id"), ("mission_id", "created_at", "id"), ("task_id", "created_at"), ("status",)):
        op.create_index(f"ix_executions_{'_'.join(columns)}", "executions", list(columns), unique=False)
    op.create_table(
        "observations",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("execution_id", sa.Text(), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("payload", json_type(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["execution_id"], ["executions.id"], name="fk_observations_execution_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_observations"),
        sa.UniqueConstraint("execution_id", "event_id", name="uq_observations_execution_id_event_id"),
    )
    op.create_index(
        "ix_observations_execution_id_created_at_id", "observations", ["execution_id", "created_at", "id"], unique=False
    )
    op.create_table(
        "operator_messages",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("execution_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("delivered_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["execution_id"], ["executions.id"], name="fk_operator_messages_execution_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_operator_messages"),
    )
    op.create_index(
        "ix_operator_messages_execution_id_created_at", "operator_messages", ["execution_id", "created_at"], unique=False
    )
