"""What search looks in."""

import sqlalchemy as sa
from alembic import op

from mission.store.columns import UtcTime, number_type, words_type

revision = "0004"
down_revision = "0003"

FULL_TEXT = (
    "DROP TABLE IF EXISTS search_words",
    "CREATE VIRTUAL TABLE search_words USING fts5(words, content='search_documents', content_rowid='number')",
    "CREATE TRIGGER search_words_added AFTER INSERT ON search_documents BEGIN"
    " INSERT INTO search_words(rowid, words) VALUES (new.number, new.words); END",
    "CREATE TRIGGER search_words_removed AFTER DELETE ON search_documents BEGIN"
    " INSERT INTO search_words(search_words, rowid, words) VALUES ('delete', old.number, old.words); END",
)


def upgrade() -> None:
    op.create_table(
        "search_documents",
        sa.Column("number", number_type(), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("mission_id", sa.Text(), nullable=True),
        sa.Column("sender_id", sa.Text(), nullable=True),
        sa.Column("recipient_id", sa.Text(), nullable=True),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("words", words_type(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_search_documents"),
        sa.UniqueConstraint("id", name="uq_search_documents_id"),
    )
    op.create_index("ix_search_documents_mission_id_kind", "search_documents", ["mission_id", "kind"], unique=False)
    progress = op.create_table(
        "search_progress",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("after_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_search_progress"),
    )
    op.bulk_insert(progress, [{"id": 1, "seq": 0, "stage": "clearing", "after_id": ""}])
    if op.get_bind().dialect.name == "sqlite":
        for statement in FULL_TEXT:
            op.execute(statement)
    else:
        op.create_index("search_words_gin", "search_documents", ["words"], postgresql_using="gin")
