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

from mission.store.columns import UtcTime, json_type, number_type, words_type

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _partial(name: str, *columns: str, where: str) -> Index:
    """An index of only some rows: the others do not pay for it."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


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
    Column("source_ref", Text),
    Column("source_content", Text),
    Column("plan", json_type()),
    Column("plan_summary", Text),
    Column("max_parallel", Integer, nullable=False, server_default="1"),
    Column("auto_create_workspaces", Boolean, nullable=False, server_default=text("false")),
    Column("repository_id", Text, ForeignKey("repositories.id")),
    Column("repository_path", Text),
    Column("workspace_setup", json_type()),
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

workspaces = Table(
    "workspaces",
    metadata,
    Column("id", Text, primary_key=True),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("host_id", Text, nullable=False),
    Column("repository_path", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("branch", Text, nullable=False),
    Column("base_branch", Text),
    Column("status", Text, nullable=False),
    Column("merge_commit", Text),
    Column("kept_branch", Text),
    Column("copied", json_type()),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("removed_at", UtcTime),
    Index(None, "mission_id", "created_at"),
    Index(
        "ix_workspaces_standing",
        "host_id",
        "path",
        unique=True,
        sqlite_where=text("removed_at IS NULL"),
        postgresql_where=text("removed_at IS NULL"),
    ),
)

templates = Table(
    "templates",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Text, nullable=False),
    Column("description", Text),
    Column("tasks", json_type(), nullable=False),
    Column("variables", json_type(), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index(None, "name"),
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
    Column("planned", Boolean, nullable=False, server_default=text("false")),
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
    Column("waiting", Integer, nullable=False, server_default="0"),
    UniqueConstraint("mission_id", "number"),
)

parallel_groups = Table(
    "parallel_groups",
    metadata,
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("tasks", Integer, nullable=False),
    Column("done", Integer, nullable=False),
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
    Column("previous_owner_id", Text),
    Column("lease_until", UtcTime),
    Column("fence", Integer, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("failed_attempts", Integer, nullable=False, server_default="0"),
    Column("tree", Text),
    Column("host_id", Text),
    Column("snapshots", json_type()),
    Column("changes", json_type()),
    Column("outcome", json_type()),
    Column("metadata", json_type()),
    Column("hold", json_type()),
    Column("position", Integer, nullable=False, server_default="0"),
    Column("parallel_group", Text),
    Column("requires", json_type()),
    Column("complexity", Text),
    Column("files_likely_affected", json_type()),
    Column("plan", json_type()),
    Column("context", json_type()),
    Column("error", Text),
    Column("workspace_id", Text),
    Column("claimed_at", UtcTime),
    Column("waiting_for", Integer, nullable=False, server_default="0"),
    Column("completion", json_type()),
    Column("entries", Integer, nullable=False, server_default="0"),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("attempt_started_at", UtcTime),
    Column("completed_at", UtcTime),
    Index(None, "mission_id", "created_at", "id"),
    Index(None, "mission_id", "name"),
    Index(None, "phase_id", "created_at"),
    _partial("ix_tasks_workspace_id", "workspace_id", where="workspace_id IS NOT NULL"),
    _partial("ix_tasks_children", "parent_id", where="parent_id IS NOT NULL"),
    _partial("ix_tasks_owned", "owner_id", where="owner_id IS NOT NULL"),
    _partial("ix_tasks_in_tree", "host_id", "tree", "completed_at", where="tree IS NOT NULL"),
    _partial("ix_tasks_ready", "mission_id", "status", "phase_number", "position", "id", where="waiting_for = 0"),
    _partial("ix_tasks_waiting", "mission_id", "phase_number", "position", where="waiting_for > 0"),
    _partial("ix_tasks_leases", "mission_id", "lease_until", where="lease_until IS NOT NULL"),
    _partial("ix_tasks_ended", "mission_id", "completed_at", where="completed_at IS NOT NULL"),
    _partial("ix_tasks_failing", "mission_id", where="failed_attempts > 0"),
    _partial("ix_tasks_grouped", "mission_id", "parallel_group", "status", where="parallel_group IS NOT NULL"),
)

task_patches = Table(
    "task_patches",
    metadata,
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("content", Text, nullable=False),
)
"""Beside the tasks, which are read often: it may be long."""

dependencies = Table(
    "dependencies",
    metadata,
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("depends_on", Text, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Index(None, "depends_on"),
)

journal = Table(
    "journal",
    metadata,
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("phase_number", Integer, nullable=False),
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("summary", Text, nullable=False),
    Column("detail", json_type(), nullable=False),
    Column("author", Text),
    Column("agent_name", Text),
    Column("open_blocker", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("id"),
    Index(None, "mission_id", "kind", "created_at", "id"),
    Index(
        "ix_journal_open_blockers",
        "mission_id",
        "created_at",
        sqlite_where=text("open_blocker"),
        postgresql_where=text("open_blocker"),
    ),
    sqlite_with_rowid=False,  # a task's entries lie together, in their order
)

queue_items = Table(
    "queue_items",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE")),
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE")),
    Column("agent_id", Text),
    Column("execution_id", Text),
    Column("message_id", Text),
    Column("entry_id", Text),
    Column("choices", json_type(), nullable=False),
    Column("once", Text),
    Column("count", Integer, nullable=False),
    Column("answer", Text),
    Column("choice", Integer),
    Column("closed_by", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("closed_at", UtcTime),
    Index(None, "state", "created_at", "id"),
    Index(None, "once"),
    Index(None, "mission_id"),
    Index(None, "task_id", "state"),
)

executions = Table(
    "executions",
    metadata,
    Column("id", Text, primary_key=True),
    Column("mission_id", Text, ForeignKey("missions.id", ondelete="CASCADE"), nullable=False),
    Column("task_id", Text, ForeignKey("tasks.id", ondelete="CASCADE"), nullable=False),
    Column("agent_id", Text, nullable=False),
    Column("adapter", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("delivery", Text, nullable=False),
    Column("protocol", json_type(), nullable=False),
    Column("host_id", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("directory", Text),
    Column("resumes", Text),
    Column("token_hash", Text),
    Column("process", json_type()),
    Column("session_id", Text),
    Column("usage", json_type()),
    Column("progress", json_type()),
    Column("claim", json_type()),
    Column("exit_code", Integer),
    Column("reason", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime),
    UniqueConstraint("token_hash"),
    Index(None, "created_at", "id"),
    Index(None, "mission_id", "created_at", "id"),
    Index(None, "task_id", "created_at"),
    Index(None, "status"),
)

observations = Table(
    "observations",
    metadata,
    Column("id", Text, primary_key=True),
    Column("execution_id", Text, ForeignKey("executions.id", ondelete="CASCADE"), nullable=False),
    Column("event_id", Text, nullable=False),
    Column("origin", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("policy", Text, nullable=False),
    Column("payload", json_type(), nullable=False),
    Column("digest", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("execution_id", "event_id"),
    Index(None, "execution_id", "created_at", "id"),
)

operator_messages = Table(
    "operator_messages",
    metadata,
    Column("id", Text, primary_key=True),
    Column("execution_id", Text, ForeignKey("executions.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text),
    Column("author", Text),
    Column("state", Text, nullable=False),
    Column("reason", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("delivered_at", UtcTime),
    Index(None, "execution_id", "created_at"),
)

incidents = Table(
    "incidents",
    metadata,
    Column("key", Text, primary_key=True),
    Column("told_at", UtcTime, nullable=False),
    Column("times", Integer, nullable=False),
)

webhooks = Table(
    "webhooks",
    metadata,
    Column("key", Text, primary_key=True),
    Column("seq", BigInteger, nullable=False),
    Column("failures", Integer, nullable=False),
    Column("due_at", UtcTime, nullable=False),
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
    Column("supervisor_id", Text),
    Column("mission_id", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Index(None, "name"),
    Index(None, "last_seen_at"),
    Index(None, "mission_id"),
)

agent_tokens = Table(
    "agent_tokens",
    metadata,
    Column("hash", Text, primary_key=True),
    Column("agent_id", Text, ForeignKey("agents.id", ondelete="CASCADE"), nullable=False),
    Column("toolsets", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    Index(None, "agent_id", "created_at"),
)

messages = Table(
    "messages",
    metadata,
    Column("id", Text, primary_key=True),
    Column("thread_id", Text, nullable=False),
    Column("sender_id", Text, nullable=False),
    Column("sender_name", Text, nullable=False),
    Column("sender_type", Text, nullable=False),
    Column("recipient_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("subject", Text),
    Column("body", json_type(), nullable=False),
    Column("priority", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("mission_id", Text),
    Column("task_id", Text),
    Column("reply_to_id", Text),
    Column("created_at", UtcTime, nullable=False),
    Column("read_at", UtcTime),
    Index(None, "recipient_id", "state", "created_at", "id"),
    Index(None, "thread_id", "created_at", "id"),
)

unread = Table(
    "unread",
    metadata,
    Column("recipient_id", Text, primary_key=True),
    Column("priority", Text, primary_key=True),
    Column("messages", Integer, nullable=False),
    sqlite_with_rowid=False,
)

search_documents = Table(
    "search_documents",
    metadata,
    Column("number", number_type(), primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("mission_id", Text),
    Column("sender_id", Text),
    Column("recipient_id", Text),
    Column("at", UtcTime, nullable=False),
    Column("words", words_type(), nullable=False),
    UniqueConstraint("id"),
    Index(None, "mission_id", "kind"),
    Index("search_words_gin", "words", postgresql_using="gin").ddl_if(dialect="postgresql"),
)
"""What can be found, by the words in it. On SQLite a full-text table beside it holds the same words."""

search_progress = Table(
    "search_progress",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("stage", Text, nullable=False),
    Column("after_id", Text, nullable=False),
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
    _partial("ix_audit_agent_id_at", "agent_id", "at", where="agent_id IS NOT NULL"),
    _partial("ix_audit_trouble", "status", "at", where="status <> 'ok'"),
    Index(None, "id"),
    Index(None, "tool", "at"),
    sqlite_with_rowid=False,  # one tree in the order of time
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
