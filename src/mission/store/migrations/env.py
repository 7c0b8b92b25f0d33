"""Alembic's entry: runs the migrations on the connection it was given, in the transaction that is open there."""

from alembic import context

from mission.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    compare_type=True,
)
context.run_migrations()
