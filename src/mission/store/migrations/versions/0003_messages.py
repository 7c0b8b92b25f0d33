"""Messages between agents and people."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "messages",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("thread_id", sa.Text(), nullable=False),
        sa.Column("sender_id", sa.Text(), nullable=False),
        sa.Column("sender_name", sa.Text(), nullable=False),
        sa.Column("sender_type", sa.Text(), nullable=False),
        sa.Column("recipient_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=True),
        sa.Column("body", json_type(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("reply_to_id", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("read_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
    )
    inbox = ("recipient_id", "state", "created_at", "id")
    op.create_index(f"ix_messages_{'_'.join(inbox)}", "messages", list(inbox), unique=False)
    op.create_index("ix_messages_thread_id_created_at_id", "messages", ["thread_id", "created_at", "id"], unique=False)
    op.create_table(
        "unread",
        sa.Column("recipient_id", sa.Text(), nullable=False),
        sa.Column("priority", sa.Text(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("recipient_id", "priority", name="pk_unread"),
        sqlite_with_rowid=False,
    )
