"""Plans and claims: where a mission comes from, its plan, what its tasks wait for, who holds them since when."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0002"
down_revision = "0001"

INDEXES = (
    ("mission_id", "waiting_for", "status", "phase_number", "position"),
    ("mission_id", "lease_until"),
    ("mission_id", "completed_at"),
    ("mission_id", "parallel_group", "status"),
)


def upgrade() -> None:
    for column in (
        sa.Column("source_ref", sa.Text(), nullable=True),
        sa.Column("source_content", sa.Text(), nullable=True),
        sa.Column("plan", json_type(), nullable=True),
        sa.Column("plan_summary", sa.Text(), nullable=True),
        sa.Column("max_parallel", sa.Integer(), server_default="1", nullable=False),
        sa.Column("auto_create_workspaces", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    ):
        op.add_column("missions", column)
    op.add_column("phases", sa.Column("planned", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    for column in (
        sa.Column("position", sa.Integer(), server_default="0", nullable=False),
        sa.Column("parallel_group", sa.Text(), nullable=True),
        sa.Column("requires", json_type(), nullable=True),
        sa.Column("complexity", sa.Text(), nullable=True),
        sa.Column("files_likely_affected", json_type(), nullable=True),
        sa.Column("plan", json_type(), nullable=True),
        sa.Column("context", json_type(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("workspace_id", sa.Text(), nullable=True),
        sa.Column("claimed_at", UtcTime(), nullable=True),
        sa.Column("waiting_for", sa.Integer(), server_default="0", nullable=False),
    ):
        op.add_column("tasks", column)
    for columns in INDEXES:
        op.create_index(f"ix_tasks_{'_'.join(columns)}", "tasks", list(columns), unique=False)
    op.create_table(
        "dependencies",
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("depends_on", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["depends_on"], ["tasks.id"], name="fk_dependencies_depends_on", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_dependencies_task_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("task_id", "depends_on", name="pk_dependencies"),
    )
    op.create_index("ix_dependencies_depends_on", "dependencies", ["depends_on"], unique=False)
