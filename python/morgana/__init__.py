"""Runs, replays, comparisons and sweeps of Morgana, with their results as pandas data frames.

A thin layer over the command `morgana`: each function starts it, waits for its end, and reads what it has
written. Times are in seconds unless a name ends in `_ps` (picoseconds). Data frames need pandas, nothing else
does.

    import morgana
    result = morgana.run(["./program", "100"], ranks=4, platform="fast-ethernet")
    result.simulated_seconds
    result.ranks_frame()
"""

from morgana._command import MorganaError, Program, command_line
from morgana._results import Result, read_result
from morgana._tables import frame_of_csv
from morgana._work import compare, platforms, replay, run, stats, sweep, timeline

__all__ = [
    "MorganaError",
    "Program",
    "Result",
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
]
