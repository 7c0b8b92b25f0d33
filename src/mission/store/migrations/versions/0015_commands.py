"""Commands of executions: an operator's messages are joined by answers, launches and stops; and who asked what last."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, json_type

revision = "0015"
down_revision = "0014"

WAITING = """
    SELECT item.execution_id, item.id FROM queue_items AS item
    WHERE item.kind IN ('question', 'blocker') AND item.entry_id IS NULL
    AND (item.closed_by IS NULL OR item.closed_by <> 'system')
    AND EXISTS (
        SELECT 1 FROM executions WHERE executions.id = item.execution_id
        AND (executions.status IN ('starting', 'running', 'waiting') OR EXISTS (
            SELECT 1 FROM queue_items AS other
            WHERE other.execution_id = executions.id AND other.state = 'open' AND other.kind IN ('question', 'blocker')
        ))
    )
    AND NOT EXISTS (
        SELECT 1 FROM observations WHERE observations.execution_id = item.execution_id
        AND observations.type IN ('progress', 'ready_for_verification', 'completed_claim', 'failed_claim')
        AND observations.created_at > item.created_at
    )
    ORDER BY item.created_at, item.id
"""
"""What agents that live, or whose questions are still open, asked since they last went on."""


def upgrade() -> None:
    op.add_column("executions", sa.Column("asked_last", json_type(), server_default="[]", nullable=False))
    op.add_column("operator_messages", sa.Column("not_before", UtcTime()))
    op.add_column("operator_messages", sa.Column("launch", json_type()))
    op.add_column("operator_messages", sa.Column("fence", sa.Integer()))
    op.add_column("operator_messages", sa.Column("launched", sa.Text()))
    pending = sa.text("state = 'pending'")
    op.create_index(
        "ix_operator_messages_pending",
        "operator_messages",
        ["created_at"],
        sqlite_where=pending,
        postgresql_where=pending,
    )
    _fill_asked_last(op.get_bind())


def _fill_asked_last(connection: sa.Connection) -> None:
    asked: dict[str, list[str]] = {}
    for execution_id, item_id in connection.execute(sa.text(WAITING)):
        asked.setdefault(execution_id, []).append(item_id)
    executions = sa.table("executions", sa.column("id", sa.Text()), sa.column("asked_last", json_type()))
    for execution_id, items in asked.items():
        connection.execute(sa.update(executions).where(executions.c.id == execution_id).values(asked_last=items))
