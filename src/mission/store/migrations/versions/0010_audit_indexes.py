"""Ways into the audit trail: one entry by its id, those of a tool, and those that went wrong."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_index("ix_audit_id", "audit", ["id"])
    op.create_index("ix_audit_tool_at", "audit", ["tool", "at"])
    trouble = sa.text("status <> 'ok'")
    op.create_index("ix_audit_trouble", "audit", ["status", "at"], sqlite_where=trouble, postgresql_where=trouble)
