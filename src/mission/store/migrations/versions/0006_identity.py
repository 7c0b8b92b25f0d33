"""Who an agent is: tokens and supervisors."""

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    pass
