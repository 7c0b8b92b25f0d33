"""The results table: each figure with its lower bound and its target, on the screen and as JSON."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.table import Table

from bench.timing import Series

RESULTS = Path(__file__).parent / "results"
Unit = Literal["ms", "/s", "MiB", "tokens", "rows"]
_FORMATS: dict[Unit, str] = {
    "ms": "{:,.2f} ms",
    "/s": "{:,.0f}/s",
    "MiB": "{:.1f} MiB",
    "tokens": "{:,.0f}",
    "rows": "{:,.0f}",
}


@dataclass(frozen=True, slots=True)
class Target:
    """The target of a ratio or of the figure itself."""

    bound: float
    sense: Literal["at most", "at least"] = "at most"
    of: Literal["ratio", "figure"] = "ratio"

    def met(self, *, figure: float, ratio: float | None) -> bool:
        value = figure if self.of == "figure" or ratio is None else ratio
        return value <= self.bound if self.sense == "at most" else value >= self.bound


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One figure, its lower bound from the same run, and whether it meets the target."""

    section: str
    what: str
    figure: float
    unit: Unit
    p99: float | None = None
    rate: float | None = None
    floor: str = ""
    floor_figure: float | None = None
    ratio: float | None = None
    target: Target | None = None

    @property
    def met(self) -> bool | None:
        return None if self.target is None else self.target.met(figure=self.figure, ratio=self.ratio)


def compared(
    section: str, what: str, ours: Series, floor: Series, *, floor_name: str, target: Target | None = None
) -> Row:
    """Return a row with a time and the time of its lower bound."""
    return Row(
        section=section,
        what=what,
        figure=ours.p50 * 1000,
        unit="ms",
        p99=ours.p99 * 1000,
        rate=ours.rate,
        floor=floor_name,
        floor_figure=floor.p50 * 1000,
        ratio=ours.against(floor),
        target=target,
    )


def show(rows: Sequence[Row]) -> None:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column("figure (times: p50)")
    for title in ("", "p99", "per s"):
        table.add_column(title, justify="right")
    table.add_column("compared with")
    for title in ("", "ratio", "target", ""):
        table.add_column(title, justify="right")
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            table.add_section()
            table.add_row(f"[bold]{section}[/bold]")
        table.add_row(*_cells(row))
    Console(width=None if Console().is_terminal else 160).print(table)


def save(rows: Iterable[Row], *, quick: bool) -> Path:
    """Save the results as JSON; the newest run has the last name."""
    RESULTS.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = RESULTS / f"{now:%Y%m%d-%H%M%S}.json"
    facts = {
        "at": now.isoformat(),
        "quick": quick,
        "python": platform.python_version(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "load": os.getloadavg(),
        "rows": [{**asdict(row), "met": row.met} for row in rows],
    }
    path.write_text(json.dumps(facts, indent=1, ensure_ascii=False))
    return path


def _cells(row: Row) -> list[str]:
    form = _FORMATS[row.unit].format
    return [
        f"  {row.what}",
        form(row.figure),
        f"{row.p99:,.2f} ms" if row.p99 is not None else "",
        f"{row.rate:,.0f}" if row.rate is not None else "",
        row.floor,
        form(row.floor_figure) if row.floor_figure is not None else "",
        f"{row.ratio:.2f} ×" if row.ratio is not None else "",
        _target(row.target, form) if row.target is not None else "",
        {True: "✓", False: "✗", None: ""}[row.met],
    ]


def _target(target: Target, form: object) -> str:
    sign = "≤" if target.sense == "at most" else "≥"
    if target.of == "ratio":
        return f"{sign} {target.bound:g} ×"
    assert callable(form)
    return f"{sign} {form(target.bound)}"
