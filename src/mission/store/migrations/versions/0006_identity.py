"""Who an agent is: its tokens as hashes, its supervisor and its mission."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("agents", sa.Column("supervisor_id", sa.Text(), nullable=True))
    op.add_column("agents", sa.Column("mission_id", sa.Text(), nullable=True))
    op.create_index("ix_agents_mission_id", "agents", ["mission_id"], unique=False)
    op.create_table(
        "agent_tokens",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("agent_id", sa.Text(), nullable=False),
        sa.Column("toolsets", sa.Text(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.ForeignKeyConstraint(["agent_id"], ["agents.id"], name="fk_agent_tokens_agent_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_agent_tokens"),
    )
    op.create_index("ix_agent_tokens_agent_id_created_at", "agent_tokens", ["agent_id", "created_at"], unique=False)
