"""The first schema: missions, phases, tasks, journal, agents, events, audit, call keys, jobs."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type, number_type

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("runtime", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("declared", sa.Text(), nullable=False),
        sa.Column("capabilities", json_type(), nullable=False),
        sa.Column("workspace_path", sa.Text(), nullable=True),
        sa.Column("current_task_id", sa.Text(), nullable=True),
        sa.Column("metadata", json_type(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("last_seen_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_agents"),
    )
    op.create_index("ix_agents_last_seen_at", "agents", ["last_seen_at"], unique=False)
    op.create_index("ix_agents_name", "agents", ["name"], unique=False)
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("finished_at", UtcTime(), nullable=False),
        sa.Column("transport", sa.Text(), nullable=False),
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=True),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=True),
        sa.Column("task_id", sa.Text(), nullable=True),
        sa.Column("arguments", json_type(), nullable=False),
        sa.Column("result", json_type(), nullable=True),
        sa.Column("error", json_type(), nullable=True),
        sa.Column("trace", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("at", "id", name="pk_audit"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_audit_agent_id_at",
        "audit",
        ["agent_id", "at"],
        unique=False,
        sqlite_where=sa.text("agent_id IS NOT NULL"),
        postgresql_where=sa.text("agent_id IS NOT NULL"),
    )
    op.create_table(
        "call_keys",
        sa.Column("caller", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("caller", "key", name="pk_call_keys"),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_call_keys_created_at", "call_keys", ["created_at"], unique=False)
    op.create_table(
        "event_counter",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_event_counter"),
    )
    op.create_table(
        "events",
        sa.Column("seq", number_type(), autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=True),
        sa.Column("agent_ids", json_type(), nullable=False),
        sa.Column("data", json_type(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name="pk_events"),
    )
    op.create_index("ix_events_mission_id_seq", "events", ["mission_id", "seq"], unique=False)
    op.create_table(
        "jobs",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_jobs"),
    )
    op.create_table(
        "repositories",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("host_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("common_dir", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_repositories"),
        sa.UniqueConstraint("host_id", "path", name="uq_repositories_host_id_path"),
    )
    op.create_table(
        "missions",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("objective", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("total_phases", sa.Integer(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=True),
        sa.Column("constraints", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("achievements", json_type(), nullable=False),
        sa.Column("limitations", json_type(), nullable=False),
        sa.Column("source_type", sa.Text(), nullable=False),
        sa.Column("repository_id", sa.Text(), nullable=True),
        sa.Column("repository_path", sa.Text(), nullable=True),
        sa.Column("completion", json_type(), nullable=True),
        sa.Column("decisions", sa.Integer(), server_default="0", nullable=False),
        sa.Column("milestones", sa.Integer(), server_default="0", nullable=False),
        sa.Column("blockers", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.Column("archived_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["repository_id"], ["repositories.id"], name="fk_missions_repository_id"),
        sa.PrimaryKeyConstraint("id", name="pk_missions"),
    )
    op.create_index("ix_missions_repository_id_created_at", "missions", ["repository_id", "created_at"], unique=False)
    op.create_table(
        "phases",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("is_parallel", sa.Boolean(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("completion", json_type(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.Column("pending", sa.Integer(), server_default="0", nullable=False),
        sa.Column("in_progress", sa.Integer(), server_default="0", nullable=False),
        sa.Column("success", sa.Integer(), server_default="0", nullable=False),
        sa.Column("partial", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed", sa.Integer(), server_default="0", nullable=False),
        sa.Column("skipped", sa.Integer(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_phases_mission_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_phases"),
        sa.UniqueConstraint("mission_id", "number", name="uq_phases_mission_id_number"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("phase_id", sa.Text(), nullable=False),
        sa.Column("phase_number", sa.Integer(), nullable=False),
        sa.Column("parent_id", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("goal", sa.Text(), nullable=False),
        sa.Column("areas", json_type(), nullable=False),
        sa.Column("caller_type", sa.Text(), nullable=True),
        sa.Column("agent_name", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("quality", sa.Text(), nullable=True),
        sa.Column("owner_id", sa.Text(), nullable=True),
        sa.Column("lease_until", UtcTime(), nullable=True),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("tree", sa.Text(), nullable=True),
        sa.Column("host_id", sa.Text(), nullable=True),
        sa.Column("snapshots", json_type(), nullable=True),
        sa.Column("changes", json_type(), nullable=True),
        sa.Column("outcome", json_type(), nullable=True),
        sa.Column("metadata", json_type(), nullable=True),
        sa.Column("hold", json_type(), nullable=True),
        sa.Column("completion", json_type(), nullable=True),
        sa.Column("entries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_tasks_mission_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["parent_id"], ["tasks.id"], name="fk_tasks_parent_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["phase_id"], ["phases.id"], name="fk_tasks_phase_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tasks"),
    )
    op.create_index("ix_tasks_host_id_tree_completed_at", "tasks", ["host_id", "tree", "completed_at"], unique=False)
    op.create_index("ix_tasks_mission_id_created_at_id", "tasks", ["mission_id", "created_at", "id"], unique=False)
    op.create_index("ix_tasks_owner_id", "tasks", ["owner_id"], unique=False)
    op.create_index("ix_tasks_parent_id", "tasks", ["parent_id"], unique=False)
    op.create_index("ix_tasks_phase_id_created_at", "tasks", ["phase_id", "created_at"], unique=False)
    op.create_table(
        "journal",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("task_id", sa.Text(), nullable=False),
        sa.Column("phase_number", sa.Integer(), nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("detail", json_type(), nullable=False),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("agent_name", sa.Text(), nullable=True),
        sa.Column("open_blocker", sa.Boolean(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.ForeignKeyConstraint(["mission_id"], ["missions.id"], name="fk_journal_mission_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name="fk_journal_task_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("task_id", "sequence", name="pk_journal"),
        sa.UniqueConstraint("id", name="uq_journal_id"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_journal_mission_id_kind_created_at_id", "journal", ["mission_id", "kind", "created_at", "id"], unique=False
    )
    op.create_index(
        "ix_journal_open_blockers",
        "journal",
        ["mission_id", "created_at"],
        unique=False,
        sqlite_where=sa.text("open_blocker"),
        postgresql_where=sa.text("open_blocker"),
    )
    op.execute("INSERT INTO event_counter (id, seq) VALUES (1, 0)")
