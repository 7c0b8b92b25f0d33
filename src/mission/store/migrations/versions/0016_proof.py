"""Checks, their rounds and evidence, slots of worktrees, and what is known about each task's result."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column("missions", sa.Column("repository_checks", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("missions", sa.Column("review", sa.Text()))
    op.add_column("executions", sa.Column("kind", sa.Text(), server_default="work", nullable=False))
    for column in ("review", "proof_state"):
        op.add_column("tasks", sa.Column(column, sa.Text()))
    for column in ("acceptance", "proof"):
        op.add_column("tasks", sa.Column(column, json_type()))
    op.execute("UPDATE tasks SET proof_state = 'unproved' WHERE status = 'completed'")
    _partial("ix_tasks_proof", "tasks", "mission_id", "proof_state", where="proof_state IS NOT NULL")
    op.create_table(
        "checks",
        sa.Column("scope", sa.Text(), primary_key=True),
        sa.Column("scope_id", sa.Text(), primary_key=True),
        sa.Column("final", sa.Boolean(), primary_key=True),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("definition", json_type(), nullable=False),
        sa.Column("path", sa.Text()),
        sa.Column("approval", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text()),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE")),
        sa.Column("item_id", sa.Text()),
        sa.Column("created_at", UtcTime(), nullable=False),
        sqlite_with_rowid=False,
    )
    _partial("ix_checks_item", "checks", "item_id", where="item_id IS NOT NULL")
    _partial("ix_checks_mission", "checks", "mission_id", where="mission_id IS NOT NULL")
    op.create_table(
        "check_rounds",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("task_id", sa.Text(), sa.ForeignKey("tasks.id", ondelete="CASCADE")),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("run_id", sa.Text()),
        sa.Column("candidate_id", sa.Text()),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("setup", sa.Text()),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("checks", json_type(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("tree", sa.Text()),
        sa.Column("identity", json_type()),
        sa.Column("changes", json_type()),
        sa.Column("start_tree", sa.Text()),
        sa.Column("start_unknown", sa.Text()),
        sa.Column("agent_id", sa.Text()),
        sa.Column("fence", sa.Integer()),
        sa.Column("execution_id", sa.Text()),
        sa.Column("report", json_type()),
        sa.Column("excuses", sa.Boolean(), nullable=False),
        sa.Column("uses_earlier", sa.Boolean(), nullable=False),
        sa.Column("holder", sa.Text()),
        sa.Column("holder_until", UtcTime()),
        sa.Column("verdict", json_type()),
        sa.Column("reason", sa.Text()),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("ended_at", UtcTime()),
    )
    op.create_index("ix_check_rounds_task_id_created_at", "check_rounds", ["task_id", "created_at"])
    op.create_index("ix_check_rounds_mission_id", "check_rounds", ["mission_id"])
    _partial("ix_check_rounds_open", "check_rounds", "host_id", "created_at", where="state = 'open'")
    _partial("ix_check_rounds_run", "check_rounds", "run_id", "created_at", where="run_id IS NOT NULL")
    op.create_table(
        "evidence",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("task_id", sa.Text(), sa.ForeignKey("tasks.id", ondelete="CASCADE")),
        sa.Column("mission_id", sa.Text(), sa.ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("round_id", sa.Text(), sa.ForeignKey("check_rounds.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("check", json_type(), nullable=False),
        sa.Column("required", sa.Boolean(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("tree", sa.Text()),
        sa.Column("setup", sa.Text()),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("repository", sa.Text(), nullable=False),
        sa.Column("take", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("exit_code", sa.Integer()),
        sa.Column("timed_out", sa.Boolean(), nullable=False),
        sa.Column("idle", sa.Boolean(), nullable=False),
        sa.Column("flaky", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float()),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("output_bytes", sa.BigInteger(), nullable=False),
        sa.Column("tests_run", sa.Integer()),
        sa.Column("tests_failed", sa.Integer()),
        sa.Column("tests_skipped", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.Column("files", json_type(), nullable=False),
        sa.Column("left_files", json_type()),
        sa.Column("reused_from", sa.Text()),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime()),
        sa.Column("ended_at", UtcTime()),
    )
    op.create_index("ix_evidence_created_at_id", "evidence", ["created_at", "id"])
    op.create_index("ix_evidence_task_id_created_at", "evidence", ["task_id", "created_at"])
    op.create_index("ix_evidence_mission_id_created_at_id", "evidence", ["mission_id", "created_at", "id"])
    op.create_index("ix_evidence_round_id", "evidence", ["round_id"])
    _partial("ix_evidence_unfinished", "evidence", "host_id", "created_at", where="state IN ('queued', 'running')")
    _partial("ix_evidence_passed", "evidence", "definition", "tree", "created_at", where="state = 'passed'")
    _partial("ix_evidence_counted", "evidence", "definition", "tree", "created_at", where="tests_run IS NOT NULL")
    op.create_table(
        "tree_slots",
        sa.Column("host_id", sa.Text(), primary_key=True),
        sa.Column("path", sa.Text(), primary_key=True),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("port_base", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("used_at", UtcTime(), nullable=False),
        sa.UniqueConstraint("host_id", "slot", name="uq_tree_slots_host_id_slot"),
        sqlite_with_rowid=False,
    )


def _partial(name: str, table: str, *columns: str, where: str) -> None:
    op.create_index(name, table, list(columns), sqlite_where=sa.text(where), postgresql_where=sa.text(where))
