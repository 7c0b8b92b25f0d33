"""Draw the results as an SVG for the documentation: a group of bars per operation, on a logarithmic scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from xml.sax.saxutils import escape

from bench.peers.measuring import Measured
from bench.peers.servers import OPERATIONS

COLORS = ("#1a9977", "#4f86f0", "#bf7a00", "#8f98a3", "#c22a1e")
LEFT, TOP, WIDTH, HEIGHT, LEGEND = 64, 40, 720, 300, 60
LOWEST, HIGHEST = 0.1, 20_000.0
"""The ends of the scale, in milliseconds."""
STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#47505b}.title{font-weight:600;fill:#14181d}line{stroke:#bfc6ce}"
    "@media(prefers-color-scheme:dark){text{fill:#afb7c1}.title{fill:#e9ecef}line{stroke:#46505b}}"
)


def chart(results: Sequence[Measured], *, items: int) -> str:
    """Return the chart of all servers with this many items."""
    shown = [each for each in results if each.items == items]
    bars = [
        _bar(place, number, len(shown), each.times_ms[operation])
        for place, operation in enumerate(OPERATIONS)
        for number, each in enumerate(shown)
        if operation in each.times_ms
    ]
    title = f"Time of one call with {items:,} items, in milliseconds (logarithmic; shorter is better)"
    body = "\n".join([_grid(), *bars, _words(shown), f'<text class="title" x="{LEFT}" y="20">{escape(title)}</text>'])
    size = f'viewBox="0 0 {LEFT + WIDTH + 20} {TOP + HEIGHT + LEGEND}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n<style>{STYLE}</style>\n{body}\n</svg>\n'


def _height(milliseconds: float) -> float:
    share = math.log(max(milliseconds, LOWEST) / LOWEST) / math.log(HIGHEST / LOWEST)
    return min(share, 1.0) * HEIGHT


def _bar(place: int, number: int, servers: int, milliseconds: float) -> str:
    group = WIDTH / len(OPERATIONS)
    width = (group - 24) / servers
    left, high = LEFT + place * group + 12 + number * width, _height(milliseconds)
    top, color = TOP + HEIGHT - high, COLORS[number % len(COLORS)]
    figure = f"{milliseconds:,.1f}" if milliseconds < 100 else f"{milliseconds:,.0f}"
    rectangle = f'<rect x="{left:.1f}" y="{top:.1f}" width="{width - 3:.1f}" height="{high:.1f}" fill="{color}"/>'
    return f'{rectangle}<text x="{left + width / 2 - 1.5:.1f}" y="{top - 4:.1f}" text-anchor="middle">{figure}</text>'


def _grid() -> str:
    lines = []
    for power in range(round(math.log10(LOWEST)), round(math.log10(HIGHEST)) + 1):
        y = TOP + HEIGHT - _height(10.0**power)
        lines.append(f'<line x1="{LEFT}" x2="{LEFT + WIDTH}" y1="{y:.1f}" y2="{y:.1f}"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10.0**power:g}</text>')
    return "".join(lines)


def _words(shown: Sequence[Measured]) -> str:
    group, under = WIDTH / len(OPERATIONS), TOP + HEIGHT + 18
    names = [
        f'<text x="{LEFT + (place + 0.5) * group:.1f}" y="{under}" text-anchor="middle">{operation}</text>'
        for place, operation in enumerate(OPERATIONS)
    ]
    return "".join([*names, *(_key(number, each.server, under + 16) for number, each in enumerate(shown))])


def _key(number: int, server: str, y: int) -> str:
    x, color = LEFT + 140 * number, COLORS[number % len(COLORS)]
    square = f'<rect x="{x}" y="{y}" width="10" height="10" fill="{color}"/>'
    return f'{square}<text x="{x + 15}" y="{y + 9}">{escape(server)}</text>'
