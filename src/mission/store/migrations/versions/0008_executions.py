"""Launched agents and what they say."""

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    pass
