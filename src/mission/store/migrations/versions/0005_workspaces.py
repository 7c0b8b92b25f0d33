"""Workspaces and templates."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("missions", sa.Column("workspace_setup", json_type(), nullable=True))
    op.create_index(
        "ix_tasks_workspace_id",
        "tasks",
        ["workspace_id"],
        unique=False,
        sqlite_where=sa.text("workspace_id IS NOT NULL"),
        postgresql_where=sa.text("workspace_id IS NOT NULL"),
    )
    op.create_table(
        "workspaces",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("repository_path", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("base_branch", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("merge_commit", sa.Text(), nullable=True),
        sa.Column("kept_branch", sa.Text(), nullable=True),
        sa.Column("copied", json_type(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("removed_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_workspaces_mission_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_workspaces"),
    )
    op.create_index("ix_workspaces_mission_id_created_at", "workspaces", ["mission_id", "created_at"], unique=False)
    op.create_index(
        "ix_workspaces_standing",
        "workspaces",
        ["host_id", "path"],
        unique=True,
        sqlite_where=sa.text("removed_at IS NULL"),
        postgresql_where=sa.text("removed_at IS NULL"),
    )
    op.create_table(
        "templates",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("tasks", json_type(), nullable=False),
        sa.Column("variables", json_type(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_templates"),
    )
    op.create_index("ix_templates_name", "templates", ["name"], unique=False)
