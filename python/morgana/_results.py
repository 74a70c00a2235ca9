"""What a run or a replay has come to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morgana._command import PathLike
from morgana._tables import frame_of_rows

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Result:
    """The JSON that `morgana run --json` and `morgana replay --json` write, and views of it."""

    data: dict[str, Any]
    """Everything, as it was written; times in picoseconds."""
    output: str = ""
    """What the program has printed."""
    notices: str = ""
    """What the command had to say on standard error."""

    @property
    def platform(self) -> str:
        return str(self.data["platform"])

    @property
    def ranks(self) -> int:
        return int(self.data["ranks"])

    @property
    def simulated_ps(self) -> int:
        return int(self.data["simulated_time_ps"])

    @property
    def simulated_seconds(self) -> float:
        return self.simulated_ps * 1e-12

    @property
    def communication_share(self) -> float:
        """Part of all ranks' time that is spent in calls, 0 to 1."""
        return float(self.data["total"]["communication_share"])

    def ranks_frame(self) -> pandas.DataFrame:
        """A row a rank: times, messages, bytes."""
        rows = []
        for rank, values in enumerate(self.data["per_rank"]):
            plain = {key: value for key, value in values.items() if not isinstance(value, (list, dict))}
            rows.append({"rank": rank, **plain})
        return frame_of_rows(rows)

    def calls_frame(self) -> pandas.DataFrame:
        """A row for each kind of call and rank: how often, how long, what for."""
        return frame_of_rows(
            {"rank": rank, **call}
            for rank, values in enumerate(self.data["per_rank"])
            for call in values["calls"]
        )


def read_result(path: PathLike) -> Result:
    """A file that --json has written."""
    return Result(json.loads(Path(path).read_text(encoding="utf-8")))
