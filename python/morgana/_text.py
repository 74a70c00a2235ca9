"""Figures and small tables for people: in notebooks, and on plots."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

most_rows = 30


@dataclass(frozen=True)
class Shown:
    """What a result shows of itself: a small table, and sentences below it."""

    caption: str
    heading: Sequence[str]
    rows: Sequence[Sequence[object]]
    sentences: Sequence[str] = field(default_factory=tuple)


class Readable:
    """A result that `print` and notebooks show as a table."""

    def _shown(self) -> Shown:
        raise NotImplementedError

    def __str__(self) -> str:
        shown = self._shown()
        return text_table(shown.caption, shown.heading, shown.rows, shown.sentences)

    def _repr_html_(self) -> str:
        """The same for notebooks. It loads nothing."""
        shown = self._shown()
        below = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in shown.sentences)
        return html_table(shown.caption, shown.heading, shown.rows) + below


def time_text(seconds: float) -> str:
    """With four digits and the unit in which it reads best: 12.34 us."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= 0.99995 * factor:
            return f"{_digits(seconds / factor, 4)} {unit}"
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


def text_table(
    caption: str, heading: Sequence[str], rows: Iterable[Sequence[object]], sentences: Sequence[str] = ()
) -> str:
    """The same for terminals: the first column to the left, the others to the right; without a heading all to the left."""
    all_rows = [[str(cell) for cell in row] for row in rows]
    lines = ([list(heading)] if heading else []) + all_rows[:most_rows]
    columns = max(map(len, lines), default=0)
    lines = [line + [""] * (columns - len(line)) for line in lines]
    widths = [max(len(line[i]) for line in lines) for i in range(columns)]
    text = [caption] if caption else []
    for line in lines:
        cells = [
            cell.ljust(width) if i == 0 or not heading else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths))
        ]
        text.append(("  " + "  ".join(cells)).rstrip())
    if len(all_rows) > most_rows:
        text.append(f"  ... and {len(all_rows) - most_rows} more")
    return "\n".join([*text, *sentences])


def number_text(value: float) -> str:
    """With three digits, without an exponent as long as it can be read so: 1390, 12.3, 0.00457."""
    if value == 0:
        return "0"
    if abs(value) >= 999.5:
        return f"{value:,.0f}"
    text = f"{value:.3g}"
    if "e" not in text or abs(value) < 1e-6:
        return text
    decimals = 2 - int(text.partition("e")[2])
    return f"{float(text):.{decimals}f}".rstrip("0")


def ratio_text(ratio: float) -> str:
    """How many times as much, with three digits and no exponent: 1.37, 24.0, 1390, 0.0510. As the command has it."""
    return f"{ratio:.3g}" if abs(ratio) < 1e-6 else _digits(ratio, 3)


def _digits(value: float, digits: int) -> str:
    """With so many significant digits of what is rounded to them, those before the point all, and no exponent."""
    decimals, least = 0, 10.0 ** (digits - 1) - 0.05
    while abs(value) < least and decimals < 8:
        decimals += 1
        least /= 10
    return f"{value:.{decimals}f}"


def _row(cells: Sequence[object], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"
