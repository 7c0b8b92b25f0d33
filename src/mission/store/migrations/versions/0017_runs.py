"""Runs of missions and their candidates, and the client that a task asks for."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("client", sa.Text()))
    op.create_table(
        "runs",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("branch", sa.Text(), nullable=False),
        sa.Column("base_commit", sa.Text(), nullable=False),
        sa.Column("tip", sa.Text(), nullable=False),
        sa.Column("target", sa.Text()),
        sa.Column("options", json_type(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text()),
        sa.Column("preflight", json_type()),
        sa.Column("unproved_allowed", sa.Boolean(), nullable=False),
        sa.Column("waivers", json_type(), nullable=False),
        sa.Column("foreign_commits", json_type(), nullable=False),
        sa.Column("merging_stopped", sa.Text()),
        sa.Column("final", json_type()),
        sa.Column("landing", json_type()),
        sa.Column("carried_out", json_type()),
        sa.Column("holder", sa.Text()),
        sa.Column("holder_until", UtcTime()),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("first_launch_at", UtcTime()),
        sa.Column("paused_at", UtcTime()),
        sa.Column("paused_from", sa.Text()),
        sa.Column("paused_seconds", sa.Float(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("ended_at", UtcTime()),
    )
    op.create_index("ix_runs_mission_id_created_at", "runs", ["mission_id", "created_at"])
    op.create_index("ix_runs_created_at_id", "runs", ["created_at", "id"])
    live = sa.text("state NOT IN ('finished', 'stopped')")
    op.create_index("ix_runs_live", "runs", ["mission_id"], unique=True, sqlite_where=live, postgresql_where=live)
    op.create_table(
        "candidates",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("run_id", sa.Text(), sa.ForeignKey("runs.id", ondelete="CASCADE"), nullable=False),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("task_id", sa.Text(), sa.ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("execution_id", sa.Text()),
        sa.Column("agent_id", sa.Text()),
        sa.Column("fence", sa.Integer()),
        sa.Column("report", json_type(), nullable=False),
        sa.Column("commit", sa.Text()),
        sa.Column("tree", sa.Text()),
        sa.Column("tip", sa.Text()),
        sa.Column("merge_commit", sa.Text()),
        sa.Column("merged_tree", sa.Text()),
        sa.Column("round_id", sa.Text()),
        sa.Column("tip_round_id", sa.Text()),
        sa.Column("changes", json_type()),
        sa.Column("findings", json_type(), nullable=False),
        sa.Column("passed_over", sa.Integer(), nullable=False),
        sa.Column("review", json_type()),
        sa.Column("proof", json_type()),
        sa.Column("reason", sa.Text()),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("merged_at", UtcTime()),
    )
    op.create_index("ix_candidates_run_id_created_at_id", "candidates", ["run_id", "created_at", "id"])
    op.create_index("ix_candidates_task_id_created_at", "candidates", ["task_id", "created_at"])
    op.create_index("ix_candidates_mission_id", "candidates", ["mission_id"])
