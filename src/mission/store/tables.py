"""Every table of the store. The migrations make them; a test keeps both the same."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from mission.store.columns import UtcTime, json_type, number_type

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

repositories = Table(
    "repositories",
    metadata,
    Column("id", Text, primary_key=True),
    Column("host_id", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("common_dir", Text),
    Column("name", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("host_id", "path"),
)

missions = Table(
    "missions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("objective", Text, nullable=False),
    Column("family", Text, nullable=False),
    Column("description", Text),
    Column("profile", Text, nullable=False),
    Column("total_phases", Integer, nullable=False),
    Column("scope", Text),
    Column("constraints", Text),
    Column("status", Text, nullable=False),
    Column("outcome", Text),
    Column("summary", Text),
    Column("achievements", json_type(), nullable=False),
    Column("limitations", json_type(), nullable=False),
    Column("source_type", Text, nullable=False),
    Column("repository_id", Text, ForeignKey("repositories.id")),
    Column("repository_path", Text),
    Column("completion", json_type()),
    Column("decisions", Integer, nullable=False, server_default="0"),
    Column("milestones", Integer, nullable=False, server_default="0"),
    Column("blockers", Integer, nullable=False, server_default="0"),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("completed_at", UtcTime),
    Column("archived_at", UtcTime),
    Index(None, "repository_id", "created_at"),
)

phases = Table(
    "phases",
    metadata,
    Column("id", Text, primary_key=True),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("number", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("is_parallel", Boolean, nullable=False),
    Column("status", Text, nullable=False),
    Column("summary", Text),
    Column("completion", json_type()),
    Column("created_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("completed_at", UtcTime),
    Column("pending", Integer, nullable=False, server_default="0"),
    Column("in_progress", Integer, nullable=False, server_default="0"),
    Column("success", Integer, nullable=False, server_default="0"),
    Column("partial", Integer, nullable=False, server_default="0"),
    Column("failed", Integer, nullable=False, server_default="0"),
    Column("skipped", Integer, nullable=False, server_default="0"),
    UniqueConstraint("mission_id", "number"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", Text, primary_key=True),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("phase_id", Text, ForeignKey("phases.id", ondelete="CASCADE"), nullable=False),
    Column("phase_number", Integer, nullable=False),
    Column("parent_id", Text, ForeignKey("tasks.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("goal", Text, nullable=False),
    Column("areas", json_type(), nullable=False),
    Column("caller_type", Text),
    Column("agent_name", Text),
    Column("status", Text, nullable=False),
    Column("quality", Text),
    Column("owner_id", Text),
    Column("lease_until", UtcTime),
    Column("fence", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("tree", Text),
    Column("host_id", Text),
    Column("snapshots", json_type()),
    Column("changes", json_type()),
    Column("outcome", json_type()),
    Column("metadata", json_type()),
    Column("hold", json_type()),
    Column("completion", json_type()),
    Column("entries", Integer, nullable=False, server_default="0"),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("completed_at", UtcTime),
    Index(None, "mission_id", "created_at", "id"),
    Index(None, "phase_id", "created_at"),
    Index(None, "parent_id"),
    Index(None, "owner_id"),
    Index(None, "host_id", "tree", "completed_at"),
)

journal = Table(
    "journal",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
    Column("phase_number", Integer, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("summary", Text, nullable=False),
    Column("detail", json_type(), nullable=False),
    Column("author", Text),
    Column("agent_name", Text),
    Column("open_blocker", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("task_id", "sequence"),
    Index(None, "mission_id", "kind", "created_at", "id"),
    Index(
        "ix_journal_open_blockers",
        "mission_id",
        "created_at",
        sqlite_where=text("open_blocker"),
        postgresql_where=text("open_blocker"),
    ),
)

agents = Table(
    "agents",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("runtime", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("declared", Text, nullable=False),
    Column("capabilities", json_type(), nullable=False),
    Column("workspace_path", Text),
    Column("current_task_id", Text),
    Column("metadata", json_type()),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Index(None, "name"),
    Index(None, "last_seen_at"),
)

events = Table(
    "events",
    metadata,
    Column("seq", number_type(), primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),
    Column("at", UtcTime, nullable=False),
    Column("mission_id", Text),
    Column("agent_ids", json_type(), nullable=False),
    Column("data", json_type(), nullable=False),
    Index(None, "mission_id", "seq"),
)

event_counter = Table(
    "event_counter",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
)

audit = Table(
    "audit",
    metadata,
    Column("at", UtcTime, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("finished_at", UtcTime, nullable=False),
    Column("transport", Text, nullable=False),
    Column("caller", Text, nullable=False),
    Column("agent_id", Text),
    Column("tool", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("mission_id", Text),
    Column("task_id", Text),
    Column("arguments", json_type(), nullable=False),
    Column("result", json_type()),
    Column("error", json_type()),
    Column("trace", Text),
    Index(
        None,
        "agent_id",
        "at",
        sqlite_where=text("agent_id IS NOT NULL"),
        postgresql_where=text("agent_id IS NOT NULL"),
    ),
    sqlite_with_rowid=False,  # one tree in the order of time: a row costs one page
)

call_keys = Table(
    "call_keys",
    metadata,
    Column("caller", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("digest", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index(None, "created_at"),
    sqlite_with_rowid=False,
)

jobs = Table(
    "jobs",
    metadata,
    Column("name", Text, primary_key=True),
    Column("due_at", UtcTime, nullable=False),
)
