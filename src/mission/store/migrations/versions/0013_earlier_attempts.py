"""What a task remembers of earlier attempts: who had it last, and how many of them failed."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

FAILED_ATTEMPTS = """
    UPDATE tasks SET failed_attempts = (CASE WHEN status = 'failed' THEN 1 ELSE 0 END) + (
        SELECT count(*) FROM executions
        WHERE executions.task_id = tasks.id
            AND (executions.status IN ('failed', 'lost')
                OR (executions.status = 'completed' AND CAST(executions.claim AS TEXT) LIKE '%"failed_claim"%'))
            AND coalesce(executions.reason, '') NOT LIKE 'not launched: %'
            AND EXISTS (
                SELECT 1 FROM journal
                WHERE journal.task_id = tasks.id AND journal.kind = 'recovery'
                    AND journal.summary LIKE 'execution ' || executions.id || ' ended %'
            )
    )
    WHERE status = 'failed' OR EXISTS (SELECT 1 FROM executions WHERE executions.task_id = tasks.id)
"""
"""A task that stands failed was failed by its owner's word. An execution failed at it if its program ran and the task
was freed at its end, which is noted: neither kept for an answer, nor under review, nor ended before. One whose agent
said that it failed has failed, whatever its exit code was. Earlier failures by an owner's word are not known."""
PREVIOUS_OWNER = """
    UPDATE tasks SET previous_owner_id = (
        SELECT agent_id FROM executions WHERE executions.task_id = tasks.id
        ORDER BY executions.created_at DESC, executions.id DESC LIMIT 1
    )
    WHERE owner_id IS NULL
"""
OUR_NOTES = """
    UPDATE journal SET author = 'system' WHERE kind = 'recovery' AND summary LIKE 'execution x!_% ended %' ESCAPE '!'
"""
"""Notes on how an execution ended were written in its agent's name."""


def upgrade() -> None:
    op.add_column("tasks", sa.Column("previous_owner_id", sa.Text()))
    op.add_column("tasks", sa.Column("failed_attempts", sa.Integer(), server_default="0", nullable=False))
    some = sa.text("failed_attempts > 0")
    op.create_index("ix_tasks_failing", "tasks", ["mission_id"], sqlite_where=some, postgresql_where=some)
    op.execute(FAILED_ATTEMPTS)
    op.execute(PREVIOUS_OWNER)
    op.execute(OUR_NOTES)
