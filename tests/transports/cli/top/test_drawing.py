"""The screen of `mission top` at any size."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mission.transports.cli.top.drawing import draw
from mission.transports.cli.top.rows import TopContents
from mission.transports.cli.top.terminal import Line, Size
from mission.transports.cli.top.view import View
from tests.transports.cli.runs.test_run_progress import a_run
from tests.transports.cli.top.test_view import an_agent, an_item

CHOICES = [{"kind": "fixed", "label": "Yes"}, {"kind": "manual", "label": "Other"}]


def drawn(contents: TopContents, *, columns: int = 80, rows: int = 24, view: View | None = None) -> list[Line]:
    return draw(view or View(), contents, size=Size(columns, rows), connected=True, details=None)


def test_every_section_gets_lines_and_what_does_not_fit_is_counted() -> None:
    agents = [an_agent(f"x_{n}") for n in range(40)]
    many = TopContents(items=[an_item(f"q_{n}") for n in range(40)], runs=[a_run()], agents=agents)

    texts = [line.text for line in drawn(many)]

    assert "Waiting for you (40)" in texts
    assert "Runs (1)" in texts
    assert "Agents (40)" in texts
    assert sum("more" in text for text in texts) == 2


def test_the_selected_row_is_always_visible() -> None:
    many = TopContents(items=[an_item(f"q_{n}") for n in range(40)])

    for number in (0, 20, 39):
        lines = drawn(many, view=View(selected=f"q_{number}"))
        assert [f"About q_{number}?" in line.text for line in lines if line.style == "selected"] == [True]


def test_the_preview_of_an_item_has_its_choices() -> None:
    texts = [line.text for line in drawn(TopContents(items=[an_item("q_1", choices=CHOICES)]))]

    assert texts[-5:-2] == ["M · T", "1  Yes", "2  Other …"]


def test_what_agents_wrote_cannot_steer_the_terminal() -> None:
    wild = TopContents(
        items=[an_item("q_1", subject="red\x1b[31m\nnext")], agents=[an_agent("x_1", note="\x1b]0;x\x07")]
    )

    text = "".join(line.text for line in drawn(wild))

    assert not set(text) & set("\x1b\x07\n")


@given(
    columns=st.integers(1, 200),
    rows=st.integers(1, 60),
    items=st.integers(0, 30),
    agents=st.integers(0, 30),
    mode=st.sampled_from(["list", "detail", "write", "confirm"]),
)
def test_the_screen_has_exactly_as_many_lines_as_the_terminal(
    columns: int, rows: int, items: int, agents: int, mode: str
) -> None:
    contents = TopContents(
        items=[an_item(f"q_{n}", choices=CHOICES) for n in range(items)],
        runs=[a_run()],
        agents=[an_agent(f"x_{n}") for n in range(agents)],
    )
    view = View(mode=mode, choice=1 if mode == "confirm" and items else None)

    assert len(drawn(contents, columns=columns, rows=rows, view=view)) == rows
