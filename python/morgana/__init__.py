"""Runs, replays, comparisons and sweeps of Morgana, with their results as tables, plots and pandas data frames.

A thin layer over the command `morgana`: each function starts it, waits for its end, and reads what it has
written. Times are in seconds unless a name ends in `_ps` (picoseconds). Data frames need pandas, plots need
matplotlib, nothing else needs either.

    import morgana
    result = morgana.run(["./program", "100"], ranks=4, platform="fast-ethernet")
    result.simulated_seconds
    result.ranks_frame()
    morgana.compare("run.otf2", ["hdr-fat-tree", "torus-3d"]).plot()
"""

from morgana._command import MorganaError, Program, command_line
from morgana._comparison import Comparison, SweepResult, Table
from morgana._measured import CollectiveResult, TrafficResult
from morgana._results import Result, read_result
from morgana._tables import frame_of_csv
from morgana._work import collective, compare, platforms, replay, run, stats, sweep, timeline, traffic

__all__ = [
    "CollectiveResult",
    "Comparison",
    "MorganaError",
    "Program",
    "Result",
    "SweepResult",
    "Table",
    "TrafficResult",
    "collective",
    "command_line",
    "compare",
    "frame_of_csv",
    "platforms",
    "read_result",
    "replay",
    "run",
    "stats",
    "sweep",
    "timeline",
    "traffic",
]
