"""What comparisons and sweeps have come to."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from morgana import _plots
from morgana._tables import frame_of_rows, number_or_text
from morgana._text import Readable, Shown, number_text, ratio_text, share_text, time_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Table(Readable):
    """Rows of the command's CSV. `table["total"]` is a column, times in seconds, `table["total_ps"]` the same in
    picoseconds, `table.frame()` a pandas data frame."""

    rows: list[dict[str, Any]]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)} rows of {', '.join(self.columns)}>"

    def _shown(self) -> Shown:
        return Shown("", self.columns, [[_plain(value) for value in row.values()] for row in self.rows])

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.rows)

    def __getitem__(self, column: str) -> list[Any]:
        """A column, None where a row has no value. KeyError, with the names of all, if there is none."""
        if column not in self.columns:
            raise KeyError(f"there is no column {column}; the columns are {', '.join(self.columns)}")
        return [row[column] for row in self.rows]

    @property
    def columns(self) -> list[str]:
        return list(self.rows[0]) if self.rows else []

    def frame(self) -> pandas.DataFrame:
        return frame_of_rows(self.rows)


def _plain(value: Any) -> str:
    return "-" if value is None else number_text(value) if isinstance(value, float) else str(value)


def rows_of_csv(text: str) -> list[dict[str, Any]]:
    """With a column in seconds beside each column in picoseconds."""
    rows = []
    for line in csv.DictReader(io.StringIO(text)):
        row: dict[str, Any] = {name: number_or_text(name, value) for name, value in line.items()}
        for name, value in list(row.items()):
            if name.endswith("_ps"):
                row[name.removesuffix("_ps")] = None if value is None else value * 1e-12
        rows.append(row)
    return rows


@dataclass(frozen=True, repr=False)
class Comparison(Table):
    """`morgana compare`: a row for each platform. Ratios are to the first."""

    subject: str = ""

    def _shown(self) -> Shown:
        rows = [
            [
                row["platform"],
                time_text(row["total"]),
                time_text(row["compute"]),
                time_text(row["communication"]),
                share_text(row["communication_share"]),
                ratio_text(row["ratio"]),
            ]
            for row in self.rows
        ]
        limits = [f"limit on {row['platform']}: {row['limit']}" for row in self.rows if row.get("limit")]
        return Shown(
            self.subject, ["platform", "total", "compute", "communication", "share", "ratio"], rows, limits
        )

    def plot(self, axes: Axes | None = None) -> Axes:
        """A bar for each platform: computing and communication. Needs matplotlib."""
        return _plots.stacked_bars(
            axes, self.subject, self["platform"], self["compute"], self["communication"]
        )


@dataclass(frozen=True, repr=False)
class SweepResult(Table):
    """`morgana sweep`: a row for each run. Means over the seeds are in `data`, the command's JSON."""

    subject: str = ""
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def points(self) -> list[dict[str, Any]]:
        """Of the JSON: values, figures (mean, radius), and where ranks vary speed_up and efficiency."""
        return list(self.data["points"])

    def _shown(self) -> Shown:
        points = self.points
        keys = list(points[0]["values"]) if points else []
        gains = bool(points) and "speed_up" in points[0]
        heading = [*keys, "runs", "total", "communication", *(["speedup", "efficiency"] if gains else [])]
        answer = self.data.get("answer", "")
        return Shown(
            self.subject, heading, [self._cells(point, gains) for point in points], [answer] if answer else []
        )

    @staticmethod
    def _cells(point: dict[str, Any], gains: bool) -> list[str]:
        cells = [*map(str, point["values"].values()), str(point["runs"])]
        figures = point["figures"]
        if not figures:
            return [*cells, ", ".join(point["reasons"]), "-", *(["-", "-"] if gains else [])]
        cells.append(time_text(figures["total_ps"]["mean"] * 1e-12))
        cells.append(share_text(figures["communication_share"]["mean"]))
        if gains:
            cells += [f"{point['speed_up']:.2f}", share_text(point["efficiency"])]
        return cells

    def plot(self, figure: str = "total", axes: Axes | None = None) -> Axes:
        """A figure over what is varied first, a curve for each combination of the others. Needs matplotlib.

        `figure` is a column ("total", "mean_latency", "bytes"), or where ranks are varied "speedup" or "efficiency",
        which have an ideal line.
        """
        points = self.points
        keys = self._varied()
        if not keys:
            raise ValueError("there is nothing to plot over: sweep something with `over`")
        first, others = keys[0], keys[1:]
        heights = [self._height(point, figure) for point in points]
        factor, unit = 1.0, ""
        if figure == "efficiency":
            factor, unit = 0.01, " (%)"
        elif self._is_time(figure):
            factor, name = _plots.unit_for([value for value, _ in heights if value is not None])
            unit = f" ({name})"
        values = list(dict.fromkeys(str(point["values"][first]) for point in points))
        curves: dict[str, tuple[list[float | None], list[float | None]]] = {}
        for point, (value, radius) in zip(points, heights):
            name = ", ".join(f"{key} {point['values'][key]}" for key in others)
            drawn = curves.setdefault(name, ([None] * len(values), [None] * len(values)))
            at = values.index(str(point["values"][first]))
            drawn[0][at] = None if value is None else value / factor
            drawn[1][at] = None if radius is None else radius / factor
        return _plots.lines(
            axes,
            first,
            figure.replace("_", " ") + unit,
            values,
            [(name, *drawn) for name, drawn in curves.items()],
            self._ideal(figure, first, values),
        )

    def _varied(self) -> list[str]:
        """What --over names, in its order: what --let binds follows from it."""
        bound = set(self.data.get("bound", []))
        return [key for key in (self.points[0]["values"] if self.points else []) if key not in bound]

    def _is_time(self, figure: str) -> bool:
        return any(f"{figure}_ps" in point["figures"] for point in self.points)

    @staticmethod
    def _height(point: dict[str, Any], figure: str) -> tuple[float | None, float | None]:
        if figure in ("speedup", "efficiency"):
            name = {"speedup": "speed_up", "efficiency": "efficiency"}[figure]
            if name not in point:
                raise ValueError(f"{figure} needs ranks to be varied: over={{\"ranks\": [2, 4, 8]}}")
            return (point[name] or None), None
        figures = point["figures"]
        if not figures:
            return None, None
        for name, factor in ((f"{figure}_ps", 1e-12), (figure, 1.0)):
            if name in figures:
                mean, radius = figures[name]["mean"], _plots.any_number(figures[name]["radius"])
                return mean * factor, None if radius is None else radius * factor
        known = ", ".join(name.removesuffix("_ps") for name in figures)
        raise ValueError(f"there is no figure {figure}; the figures are {known}, speedup and efficiency")

    @staticmethod
    def _ideal(figure: str, first: str, values: list[str]) -> list[float] | None:
        if first != "ranks" or figure not in ("speedup", "efficiency"):
            return None
        ranks = [float(value) for value in values]
        return [100.0 if figure == "efficiency" else one / min(ranks) for one in ranks]
