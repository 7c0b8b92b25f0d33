"""Our names for database errors, so that the layers above the store do not depend on SQLAlchemy."""

from __future__ import annotations

from sqlalchemy.exc import IntegrityError, SQLAlchemyError

DatabaseFailure = SQLAlchemyError
"""Any failure of the database that the store did not translate."""

ConflictingRow = IntegrityError
"""A row that violates a constraint of its table, for example a second one with the same key."""
