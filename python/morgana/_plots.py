"""Plots by matplotlib, where it is installed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_or_new(axes: Axes | None) -> Axes:
    """The axes to draw on: those that were given, or those of a new figure."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plots need matplotlib: apt-get install python3-matplotlib, or pip install matplotlib") from missing
    new: Axes = pyplot.subplots(layout="constrained")[1]
    return new


def unit_for(seconds: Sequence[float]) -> tuple[float, str]:
    """The unit in which the greatest time reads best, and how many seconds it has."""
    greatest = max(seconds, default=0.0)
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if greatest >= factor:
            return factor, unit
    return 1e-9, "ns"


def stacked_bars(
    axes: Axes | None, title: str, names: Sequence[str], compute: Sequence[float], communication: Sequence[float]
) -> Axes:
    """A horizontal bar for each name, the first on top: computing, then communication."""
    axes = axes_or_new(axes)
    factor, unit = unit_for([sum(both) for both in zip(compute, communication)])
    places = list(range(len(names)))
    axes.barh(places, [one / factor for one in compute], label="compute", color="#bbbbbb")
    axes.barh(
        places,
        [one / factor for one in communication],
        left=[one / factor for one in compute],
        label="communication",
        color="#4477aa",
    )
    axes.set_yticks(places, labels=list(names))
    axes.invert_yaxis()
    axes.set_xlabel(f"simulated time ({unit})")
    axes.set_title(title)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncol=2)
    return axes


def lines(
    axes: Axes | None,
    x_name: str,
    y_name: str,
    values: Sequence[str],
    curves: Sequence[tuple[str, Sequence[float | None], Sequence[float | None]]],
    ideal: Sequence[float] | None = None,
) -> Axes:
    """Curves over values: (name, heights, radii), None where there is nothing. Values that are numbers are drawn to
    scale, others side by side."""
    axes = axes_or_new(axes)
    numbers = [leading_number(value) for value in values]
    scale = [number for number in numbers if number is not None]
    if len(scale) < len(values) or len({unit_of(value) for value in values}) > 1:
        scale = [float(place) for place in range(len(values))]
        axes.set_xticks(scale, labels=list(values))
    else:
        if min(scale) > 0 and grows_by_one_factor(scale):
            axes.set_xscale("log")
        axes.set_xticks(scale, labels=list(values))
        axes.minorticks_off()
    for name, heights, radii in curves:
        drawn = [(x, y, r or 0.0) for x, y, r in zip(scale, heights, radii) if y is not None]
        x, y, r = ([one[i] for one in drawn] for i in range(3))
        axes.errorbar(x, y, yerr=r if any(r) else None, marker="o", capsize=3, label=name or None)
    if ideal is not None:
        axes.plot(scale, list(ideal), linestyle="--", color="#888888", label="ideal")
    axes.set_xlabel(x_name)
    axes.set_ylabel(y_name)
    axes.set_ylim(bottom=0)
    axes.grid(True, alpha=0.3)
    if ideal is not None or any(name for name, _, _ in curves):
        axes.legend()
    return axes


def leading_number(value: str) -> float | None:
    """Of "10 Mb/s" 10, of "x0.5" 0.5, of a word nothing."""
    try:
        return float(value.removeprefix("x").split(" ", 1)[0])
    except ValueError:
        return None


def unit_of(value: str) -> str:
    return value.partition(" ")[2]


def grows_by_one_factor(numbers: Sequence[float]) -> bool:
    factors = [after / before for before, after in zip(numbers, numbers[1:])]
    return len(factors) > 1 and factors[0] > 1 and all(math.isclose(one, factors[0]) for one in factors)


def any_number(value: Any) -> float | None:
    return None if value is None else float(value)
