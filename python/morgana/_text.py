"""Figures and small tables for people: in notebooks, and on plots."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence

most_rows = 30


def time_text(seconds: float) -> str:
    """With four digits and the unit in which it reads best: 12.34 us."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= factor:
            return f"{seconds / factor:#.4g} {unit}"
    return "0 s" if seconds == 0 else f"{seconds * 1e12:#.4g} ps"


def share_text(share: float) -> str:
    return f"{100 * share:.1f} %"


def html_table(caption: str, heading: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table that loads nothing. Of many rows the first are shown, and how many more there are."""
    lines = [f"<table><caption>{html.escape(caption)}</caption>"]
    if heading:
        lines.append(f"<thead>{_row(heading, 'th')}</thead>")
    lines.append("<tbody>")
    all_rows = list(rows)
    lines += [_row(row, "td") for row in all_rows[:most_rows]]
    if len(all_rows) > most_rows:
        lines.append(_row([f"... and {len(all_rows) - most_rows} more", *[""] * (len(all_rows[0]) - 1)], "td"))
    lines.append("</tbody></table>")
    return "\n".join(lines)


def _row(cells: Sequence[object], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
