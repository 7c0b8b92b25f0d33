"""Counts kept beside the rows: tasks that wait, and how far each parallel group is."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

WAITING = """
    UPDATE phases SET waiting = (
        SELECT count(*) FROM tasks WHERE tasks.phase_id = phases.id AND tasks.status = 'pending' AND tasks.waiting_for > 0
    )
"""
GROUPS = """
    INSERT INTO parallel_groups (mission_id, name, tasks, done)
    SELECT mission_id, parallel_group, count(*), sum(CASE WHEN status IN ('completed', 'skipped') THEN 1 ELSE 0 END)
    FROM tasks WHERE parallel_group IS NOT NULL GROUP BY mission_id, parallel_group
"""
INDEXES = {
    "ix_tasks_children": (("parent_id",), "parent_id IS NOT NULL"),
    "ix_tasks_owned": (("owner_id",), "owner_id IS NOT NULL"),
    "ix_tasks_in_tree": (("host_id", "tree", "completed_at"), "tree IS NOT NULL"),
    "ix_tasks_ready": (("mission_id", "status", "phase_number", "position", "id"), "waiting_for = 0"),
    "ix_tasks_waiting": (("mission_id", "phase_number", "position"), "waiting_for > 0"),
    "ix_tasks_leases": (("mission_id", "lease_until"), "lease_until IS NOT NULL"),
    "ix_tasks_ended": (("mission_id", "completed_at"), "completed_at IS NOT NULL"),
    "ix_tasks_grouped": (("mission_id", "parallel_group", "status"), "parallel_group IS NOT NULL"),
}
REPLACED = (
    "ix_tasks_parent_id",
    "ix_tasks_owner_id",
    "ix_tasks_host_id_tree_completed_at",
    "ix_tasks_mission_id_waiting_for_status_phase_number_position",
    "ix_tasks_mission_id_lease_until",
    "ix_tasks_mission_id_completed_at",
    "ix_tasks_mission_id_parallel_group_status",
)


def upgrade() -> None:
    for name in REPLACED:
        op.drop_index(name, table_name="tasks")
    for name, (columns, where) in INDEXES.items():
        condition = sa.text(where)
        op.create_index(name, "tasks", list(columns), sqlite_where=condition, postgresql_where=condition)
    op.add_column("phases", sa.Column("waiting", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "parallel_groups",
        sa.Column("mission_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("tasks", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mission_id"], ["missions.id"], name="fk_parallel_groups_mission_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("mission_id", "name", name="pk_parallel_groups"),
    )
    op.execute(WAITING)
    op.execute(GROUPS)
