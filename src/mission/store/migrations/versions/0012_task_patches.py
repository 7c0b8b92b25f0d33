"""The lines that a task changed, kept when it ends."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "task_patches",
        sa.Column("task_id", sa.Text, sa.ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("content", sa.Text, nullable=False),
    )
