"""Names of ours for what a database raises, so that nobody above the store needs to know SQLAlchemy."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

DatabaseFailure = SQLAlchemyError
"""Any failure of the database that the store did not translate."""

ConflictingRow = IntegrityError
"""A row that breaks a rule of its table, for example a second one with the same key."""
