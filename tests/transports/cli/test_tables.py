"""Tables that fit the terminal they are printed to."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.transports.cli.tables import fit_table, piped_lines, shorten, text_width

COLUMNS = ["ID", "WHAT", "FROM", "SINCE"]
LONG = "Should the export contain accounts with a balance of zero?"
ROWS = [["q_3k9x0a7q2f", LONG, "ledger-2", "2 min ago"], ["q_aar0rsedwa", "Which color?", "", "1 h ago"]]


def test_a_long_text_is_shortened_and_ids_stay_whole() -> None:
    lines = fit_table(COLUMNS, ROWS, width=60)

    assert lines == [
        "ID            WHAT                       FROM      SINCE",
        "q_3k9x0a7q2f  Should the export contai…  ledger-2  2 min ago",
        "q_aar0rsedwa  Which color?                         1 h ago",
    ]


def test_columns_are_left_out_in_the_given_order_before_a_text_becomes_unreadable() -> None:
    lines = fit_table(COLUMNS, ROWS, width=44, drop=["FROM", "SINCE"])

    assert lines is not None
    assert lines[0].split() == ["ID", "WHAT", "SINCE"]


def test_a_column_without_content_takes_no_space() -> None:
    lines = fit_table(["ID", "WHY", "NAME"], [["t_1", "", "One"]], width=80)

    assert lines == ["ID   NAME", "t_1  One"]


def test_a_terminal_that_is_too_narrow_for_the_first_column_gets_no_table() -> None:
    assert fit_table(["ID", "NAME"], [["m_3k9x0a7q2f", "x" * 30]], width=20) is None


def test_on_a_pipe_nothing_is_cut_and_one_long_text_does_not_move_the_other_lines() -> None:
    _, long, short = piped_lines([COLUMNS, *ROWS])

    assert LONG in long
    assert len(short) < 80


def test_a_path_keeps_its_end() -> None:
    assert shorten("/home/ada/worktrees/ledger/t_1", 12) == "…/ledger/t_1"


@given(
    texts=st.lists(st.text(st.characters(categories=["L", "N", "Zs", "So"])), min_size=3, max_size=3),
    width=st.integers(40, 200),
)
def test_no_line_is_wider_than_the_terminal(texts: list[str], width: int) -> None:
    cells = [" ".join(text.split()) for text in texts]

    lines = fit_table(["ID", "A", "B", "C"], [["t_3k9x0a7q2f", *cells]], width=width, drop=["C", "B"])

    assert lines is None or all(text_width(line) <= width for line in lines)
