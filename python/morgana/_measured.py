"""What a network does without any program: collectives by size, generated traffic by load."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from morgana import _plots
from morgana._comparison import Table
from morgana._text import Shown, number_text, time_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class CollectiveResult(Table):
    """`morgana collective`: a row for each size and algorithm, with `time` in seconds and bandwidths in bytes/s."""

    data: dict[str, Any] = field(default_factory=dict)
    """The command's JSON."""

    @property
    def subject(self) -> str:
        return f"{self.data['collective']} of {self.data['ranks']} ranks on {self.data['platform']}"

    def _shown(self) -> Shown:
        return Shown(
            self.subject,
            ["bytes", "algorithm", "carried out by", "time", "busbw (GB/s)"],
            [
                [
                    f"{row['bytes']:,}",
                    row["algorithm"],
                    row["carried_out_by"],
                    time_text(row["time"]),
                    number_text(row["busbw_bytes_per_s"] / 1e9),
                ]
                for row in self.rows
            ],
        )

    def plot(self, figure: str = "busbw_bytes_per_s", axes: Axes | None = None) -> Axes:
        """A column over the size, a curve for each algorithm. Needs matplotlib."""
        heights: list[Any] = self[figure]
        sizes = list(dict.fromkeys(str(row["bytes"]) for row in self.rows))
        curves: dict[str, list[float | None]] = {}
        for row, height in zip(self.rows, heights):
            curves.setdefault(row["algorithm"], [None] * len(sizes))[sizes.index(str(row["bytes"]))] = height
        names = {"busbw_bytes_per_s": "busbw (bytes/s)", "algbw_bytes_per_s": "algbw (bytes/s)", "time": "time (s)"}
        none: list[float | None] = [None] * len(sizes)
        return _plots.lines(
            axes, "size (bytes)", names.get(figure, figure), sizes, [(name, own, none) for name, own in curves.items()]
        )


@dataclass(frozen=True, repr=False)
class TrafficResult(Table):
    """`morgana traffic`: a row for each load. `data`, the command's JSON, has each load's cables, too."""

    data: dict[str, Any] = field(default_factory=dict)

    @property
    def saturation(self) -> dict[str, float] | None:
        """With saturation=True: what the network accepts at most (`peak`), at which load, and the knee."""
        found: dict[str, float] | None = self.data.get("saturation")
        return found

    @property
    def subject(self) -> str:
        return f"{self.data['pattern']} traffic on {self.data.get('platform', self.data['network'])}"

    def _shown(self) -> Shown:
        def cell(value: Any) -> str:
            return "-" if value is None else number_text(value)

        sentences = []
        if self.saturation:
            sentences.append(f"accepts {number_text(self.saturation['peak'])} {self.data['load_unit']} at most")
        return Shown(
            self.subject,
            [f"load ({self.data['load_unit']})", "accepted", "latency (ns)", "99 % (ns)", "lost"],
            [
                [cell(row["load"]), cell(row["accepted"]), cell(row["latency_ns"]), cell(row["p99_ns"]), str(row["lost"])]
                for row in self.rows
            ],
            sentences,
        )

    def plot(self, figure: str = "latency_ns", axes: Axes | None = None) -> Axes:
        """A column over the load. Needs matplotlib."""
        loads = [f"{row['load']:g}" for row in self.rows]
        radius = {"latency_ns": "latency_radius_90", "accepted": "accepted_radius_90"}.get(figure)
        radii = self[radius] if radius else [None] * len(loads)
        return _plots.lines(
            axes, f"load ({self.data['load_unit']})", figure.replace("_", " "), loads, [("", self[figure], radii)]
        )


def rows_of_collective(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**row, "time": row["time_ps"] * 1e-12} for row in data["rows"]]


def rows_of_traffic(data: dict[str, Any]) -> list[dict[str, Any]]:
    """Each load's figures; what is a list or has parts stays in the JSON, but for the percentiles."""
    rows = []
    for one in data["loads"]:
        row = {name: value for name, value in one.items() if not isinstance(value, (dict, list))}
        row |= {f"p{percent}_ns": value for percent, value in one["percentiles_ns"].items()}
        rows.append(row)
    return rows
