"""A way to the tasks of a mission by their names, by which plans refer to them."""

from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_index("ix_tasks_mission_id_name", "tasks", ["mission_id", "name"])
