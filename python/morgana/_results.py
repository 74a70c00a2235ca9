"""What a run or a replay has come to."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morgana import _plots
from morgana._command import PathLike
from morgana._tables import frame_of_rows
from morgana._text import Readable, Shown, share_text, time_text

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


@dataclass(frozen=True, repr=False)
class Result(Readable):
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

    def __repr__(self) -> str:
        return f"<Result: {self.data['subject']} on {self.platform}, {time_text(self.simulated_seconds)}>"

    @property
    def bottleneck(self) -> dict[str, str]:
        """Where the time goes and what is in the way, as the summary says it: "critical path", "limit", "pauses", ..."""
        return {line["label"]: line["text"] for line in self.data.get("bottleneck", [])}

    def _shown(self) -> Shown:
        """A small table of the most important figures."""
        total, latency = self.data["total"], self.data.get("latency", {})
        rows = [
            ("simulated time", time_text(self.simulated_seconds)),
            ("ranks", f"{self.ranks} on {self.data['hosts']['count']} hosts"),
            ("communication", share_text(self.communication_share)),
            ("messages", f"{total['messages_sent']:,} with {total['bytes_sent']:,} bytes"),
        ]
        if latency.get("messages"):
            rows.append(("latency", f"{time_text(latency['mean_ps'] * 1e-12)} in the mean"))
        calls = sorted(self.data.get("calls", []), key=lambda call: -int(call["time_ps"]))
        rows += [(call["call"], f"{time_text(call['time_ps'] * 1e-12)} in {call['count']:,} calls") for call in calls[:3]]
        sentences = [f"{label}: {text}" for label, text in self.bottleneck.items()]
        return Shown(f"{self.data['subject']} on {self.platform}", [], rows, sentences)

    def plot(self, axes: Axes | None = None) -> Axes:
        """A bar for each rank: computing and communication. Needs matplotlib."""
        ranks = self.data["per_rank"]
        return _plots.stacked_bars(
            axes,
            f"{self.data['subject']} on {self.platform}",
            [f"rank {rank}" for rank in range(len(ranks))],
            [one["compute_ps"] * 1e-12 for one in ranks],
            [one["communication_ps"] * 1e-12 for one in ranks],
        )

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
