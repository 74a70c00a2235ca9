"""Data frames of what the command writes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("data frames need pandas: apt-get install python3-pandas") from missing
    return pandas


def frame_of_csv(text: str) -> pandas.DataFrame:
    """A table of the command's, with a column in seconds beside each column in picoseconds."""
    frame = _pandas().read_csv(io.StringIO(text))
    return with_seconds(frame)


def number_or_text(column: str, text: str | None) -> Any:
    """A cell of a CSV: an integer, a number or a text; None where it is empty. Names stay texts."""
    if text is None or text == "":
        return None
    if column in ("subject", "platform", "settings", "map", "outcome", "recorded", "limit"):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def frame_of_rows(rows: Iterable[Mapping[str, Any]]) -> pandas.DataFrame:
    return with_seconds(_pandas().DataFrame(list(rows)))


def with_seconds(frame: pandas.DataFrame) -> pandas.DataFrame:
    """`total_ps` stays, and `total` is the same in seconds."""
    for name in [str(column) for column in frame.columns if str(column).endswith("_ps")]:
        if name.removesuffix("_ps") in frame.columns:
            continue
        frame[name.removesuffix("_ps")] = frame[name] * 1e-12
    return frame
