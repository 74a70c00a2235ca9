"""One function for each thing that the command does."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morgana._command import PathLike, Programs, absolute, as_program, carry_out, command_line
from morgana._comparison import Comparison, SweepResult, rows_of_csv
from morgana._results import Result, read_result
from morgana._tables import frame_of_csv

if TYPE_CHECKING:
    import pandas


def platforms() -> list[str]:
    """The names of all that is modelled."""
    return carry_out(command_line("platforms", options={"names": True})).stdout.split()


def _result(words: list[str], folder: str) -> Result:
    """Of a command line that writes its JSON into `folder`."""
    file = Path(folder) / "result.json"
    at = words.index("--") if "--" in words else len(words)
    done = carry_out([*words[:at], "--quiet", "--json", str(file), *words[at:]])
    return Result(read_result(file).data, done.stdout, done.stderr)


def run(
    program: Programs,
    *,
    platform: str,
    ranks: int = 1,
    set: Mapping[str, object] = {},
    compute: str | None = None,
    map: str | None = None,
    seed: int | None = None,
    trace: PathLike | None = None,
    counters: bool = False,
    stdin_rank: int | str | None = None,
) -> Result:
    """Runs an MPI or PVM program on a modelled platform: `morgana run`.

    Several MPI programs are a list of `Program`, each with its own ranks and variables.
    `compute` is "measured", "none" or "recorded:TRACE"; `trace` is where the run is recorded.
    """
    options = {
        "ranks": ranks,
        "platform": platform,
        "compute": compute,
        "map": map,
        "seed": seed,
        "trace": trace,
        "counters": counters,
        "stdin": stdin_rank,
    }
    with tempfile.TemporaryDirectory(prefix="morgana-") as folder:
        return _result(command_line("run", options=options, set=set, program=program), folder)


def replay(
    trace: PathLike,
    *,
    platform: str,
    set: Mapping[str, object] = {},
    map: str | None = None,
    seed: int | None = None,
    counters: bool = False,
    slow_rank: Sequence[str] = (),
    compute_noise: str | None = None,
    beside: Sequence[PathLike] = (),
    beside_times: int | None = None,
) -> Result:
    """Replays a recorded trace: `morgana replay`. Slow ranks are such as ["3:x1.2"].

    `beside` are traces that run on the same network, such as "other.otf2" or "other.otf2@5 ms".
    """
    options = {"platform": platform, "map": map, "seed": seed, "counters": counters}
    options |= {"slow_rank": list(slow_rank), "compute_noise": compute_noise}
    options |= {"beside": [str(one) for one in beside], "beside_times": beside_times}
    with tempfile.TemporaryDirectory(prefix="morgana-") as folder:
        return _result(command_line("replay", [trace], options=options, set=set), folder)


def compare(
    trace: PathLike,
    platforms: Sequence[str],
    *,
    set: Mapping[str, object] = {},
    map: str | None = None,
    seed: int | None = None,
) -> Comparison:
    """A row for each platform: `morgana compare`. Ratios are to the first."""
    options = {"platforms": ",".join(platforms), "map": map, "seed": seed}
    words = command_line("compare", [trace], options=options | {"csv": "-", "quiet": True}, set=set)
    return Comparison(rows_of_csv(carry_out(words).stdout), str(trace))


def sweep(
    subject: PathLike | None = None,
    *,
    over: Mapping[str, str | Sequence[object]],
    let: Mapping[str, str] = {},
    program: PathLike | Sequence[PathLike] | None = None,
    platform: str | None = None,
    ranks: int | None = None,
    set: Mapping[str, object] = {},
    seeds: int | str | None = None,
    compute: str | None = None,
    map: str | None = None,
    scaling: str | None = None,
    jobs: int | None = None,
    on: str | None = None,
    engine_options: Sequence[str] = (),
    csv: PathLike | None = None,
) -> SweepResult:
    """A row for each run: `morgana sweep` over a trace, or over a program that runs live.

    `over` names what is varied, and its values: a list, or a text as --over takes it ("10..100 Mb/s:x10"). `let`
    binds names to expressions of these: {"n": "256*ranks"}. `scaling` is "strong" or "weak". A
    file `csv` keeps the rows, so that a sweep that was broken off goes on when it is called again. `on` is "mpi" or
    "slurm", which then make the runs, `jobs` at a time, with `engine_options` for mpiexec or sbatch; `csv` must lie where
    all machines see it.
    """
    varied = [f"{key}={values if isinstance(values, str) else ','.join(str(one) for one in values)}"
              for key, values in over.items()]
    with tempfile.TemporaryDirectory(prefix="morgana-") as folder:
        report = Path(folder) / "sweep.json"
        table = absolute(csv) if csv is not None else str(Path(folder) / "sweep.csv")
        options = {
            "over": varied,
            "let": [f"{name}={expression}" for name, expression in let.items()],
            "platform": platform,
            "ranks": ranks,
            "seeds": seeds,
            "compute": compute,
            "map": map,
            "scaling": scaling,
            "jobs": jobs,
            "on": on,
            "csv": table,
            "json": report,
            "quiet": True,
        }
        arguments: list[PathLike] = [] if subject is None else [subject]
        arguments += [f"--with={option}" for option in engine_options]
        carry_out(command_line("sweep", arguments, options=options, set=set, program=program))
        data = json.loads(report.read_text(encoding="utf-8")) | {"bound": list(let)}
        rows = rows_of_csv(Path(table).read_text(encoding="utf-8"))
        return SweepResult(rows, str(subject) if subject is not None else " ".join(as_program(program or [])), data)


def stats(trace: PathLike) -> dict[str, Any]:
    """What a trace says of its program's messages: `morgana stats --json`."""
    words = command_line("stats", [trace], options={"json": "-", "quiet": True})
    return json.loads(carry_out(words).stdout)


def timeline(trace: PathLike) -> pandas.DataFrame:
    """A row for each call, each message and each rank's end of a trace: `morgana export --to csv`."""
    words = command_line("export", [trace], options={"to": "csv", "output": "-", "quiet": True})
    return frame_of_csv(carry_out(words).stdout)
