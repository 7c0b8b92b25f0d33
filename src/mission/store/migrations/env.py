"""Alembic's entry point: runs the migrations on the given connection, in its open transaction."""

from alembic import context

from mission.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
