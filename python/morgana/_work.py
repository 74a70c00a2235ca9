"""One function for each thing that the command does."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from morgana._command import PathLike, Programs, absolute, as_program, carry_out, command_line
from morgana._comparison import Comparison, SweepResult, rows_of_csv
from morgana._measured import CollectiveResult, TrafficResult, rows_of_collective, rows_of_traffic
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
    platform: str | None = None,
    ranks: int = 1,
    set: Mapping[str, object] = {},
    compute: str | None = None,
    map: str | None = None,
    ranks_per_host: int | None = None,
    seed: int | None = None,
    trace: PathLike | None = None,
    report: PathLike | None = None,
    counters: bool = False,
    stdin_rank: int | str | None = None,
) -> Result:
    """Runs an MPI or PVM program on a modelled platform: `morgana run`.

    Several MPI programs are a list of `Program`, each with its own ranks and variables. Without `platform` it is the
    command's default, hdr-fat-tree. `compute` is "measured", "none" or "recorded:TRACE"; `trace` is where the run is
    recorded, and `report` the web page (.html) that is drawn of it.
    """
    options = {
        "ranks": ranks,
        "platform": platform,
        "compute": compute,
        "map": map,
        "ranks_per_host": ranks_per_host,
        "seed": seed,
        "trace": trace,
        "report": report,
        "counters": counters,
        "stdin": stdin_rank,
    }
    with tempfile.TemporaryDirectory(prefix="morgana-") as folder:
        return _result(command_line("run", options=options, set=set, program=program), folder)


def replay(
    trace: PathLike,
    *,
    platform: str | None = None,
    set: Mapping[str, object] = {},
    map: str | None = None,
    ranks_per_host: int | None = None,
    seed: int | None = None,
    report: PathLike | None = None,
    counters: bool = False,
    slow_rank: Sequence[str] = (),
    compute_noise: str | None = None,
    beside: Sequence[PathLike] = (),
    beside_times: int | None = None,
) -> Result:
    """Replays a recorded trace: `morgana replay`. Slow ranks are such as ["3:x1.2"].

    Without `platform` it is the command's default, hdr-fat-tree; `report` is the web page (.html) that is drawn of it.
    `beside` are traces that run on the same network, such as "other.otf2" or "other.otf2@5 ms".
    """
    options = {"platform": platform, "map": map, "ranks_per_host": ranks_per_host, "seed": seed, "report": report}
    options |= {"counters": counters}
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
    ranks_per_host: int | None = None,
    seed: int | None = None,
    report: PathLike | None = None,
) -> Comparison:
    """A row for each platform: `morgana compare`. Ratios are to the first; `report` is a web page (.html)."""
    options = {"platforms": ",".join(platforms), "map": map, "ranks_per_host": ranks_per_host, "seed": seed}
    options |= {"report": report}
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
    ranks_per_host: int | None = None,
    scaling: str | None = None,
    jobs: int | None = None,
    on: str | None = None,
    engine_options: Sequence[str] = (),
    csv: PathLike | None = None,
    report: PathLike | None = None,
) -> SweepResult:
    """A row for each run: `morgana sweep` over a trace, or over a program that runs live.

    `over` names what is varied, and its values: a list, or a text as --over takes it ("10..100 Mb/s:x10"). `let`
    binds names to expressions of these: {"n": "256*ranks"}. `scaling` is "strong" or "weak". A
    file `csv` keeps the rows, so that a sweep that was broken off goes on when it is called again. `on` is "mpi" or
    "slurm", which then make the runs, `jobs` at a time, with `engine_options` for mpiexec or sbatch; `csv` must lie where
    all machines see it. `report` is the web page (.html) of the sweep.
    """
    varied = [f"{key}={values if isinstance(values, str) else ','.join(str(one) for one in values)}"
              for key, values in over.items()]
    with tempfile.TemporaryDirectory(prefix="morgana-") as folder:
        written = Path(folder) / "sweep.json"
        table = absolute(csv) if csv is not None else str(Path(folder) / "sweep.csv")
        options = {
            "over": varied,
            "let": [f"{name}={expression}" for name, expression in let.items()],
            "platform": platform,
            "ranks": ranks,
            "seeds": seeds,
            "compute": compute,
            "map": map,
            "ranks_per_host": ranks_per_host,
            "scaling": scaling,
            "jobs": jobs,
            "on": on,
            "csv": table,
            "json": written,
            "report": report,
            "quiet": True,
        }
        arguments: list[PathLike] = [] if subject is None else [subject]
        arguments += [f"--with={option}" for option in engine_options]
        carry_out(command_line("sweep", arguments, options=options, set=set, program=program))
        data = json.loads(written.read_text(encoding="utf-8")) | {"bound": list(let)}
        rows = rows_of_csv(Path(table).read_text(encoding="utf-8"))
        return SweepResult(rows, str(subject) if subject is not None else " ".join(as_program(program or [])), data)


def collective(
    name: str,
    *,
    platform: str | None = None,
    ranks: int | None = None,
    bytes: str | int | Sequence[str | int] | None = None,
    algorithms: Sequence[str] = (),
    library: str | None = None,
    protocol: str | None = None,
    tuner: PathLike | None = None,
    set: Mapping[str, object] = {},
    map: str | None = None,
    ranks_per_host: int | None = None,
    seed: int | None = None,
) -> CollectiveResult:
    """Time and bandwidths of a collective by size, without any program: `morgana collective`.

    `name` is "all-reduce", "all-gather", "reduce-scatter", "broadcast", "reduce" or "all-to-all"; `bytes` a size, a list
    of sizes or a text as --bytes takes it ("8 B..1 GiB:x2"); `algorithms` such as ["ring", "tree", "auto"].
    """
    listed: Sequence[str | int] | None = [bytes] if isinstance(bytes, (str, int)) else bytes
    sizes = None if listed is None else ",".join(f"{one} B" if isinstance(one, int) else one for one in listed)
    options = {
        "platform": platform,
        "ranks": ranks,
        "bytes": sizes,
        "algorithm": ",".join(algorithms) or None,
        "library": library,
        "protocol": protocol,
        "tuner": tuner,
        "map": map,
        "ranks_per_host": ranks_per_host,
        "seed": seed,
        "json": "-",
        "quiet": True,
    }
    data = json.loads(carry_out(command_line("collective", [name], options=options, set=set)).stdout)
    return CollectiveResult(rows_of_collective(data), data)


def traffic(
    loads: Sequence[float] = (),
    *,
    platform: str | None = None,
    network: str | None = None,
    routes: str | None = None,
    pattern: str | None = None,
    process: str | None = None,
    length: int | None = None,
    saturation: bool = False,
    messages: int | None = None,
    warm_up: int | None = None,
    batches: int | None = None,
    set: Mapping[str, object] = {},
    seed: int | None = None,
    report: PathLike | None = None,
) -> TrafficResult:
    """Latency and accepted traffic of a network by load: `morgana traffic`.

    `loads` are bytes a nanosecond and switch; with `saturation` the command looks for what the network carries. The
    network is a platform's, or a Myrinet named by `network` and `routes`. `pattern` is such as "uniform" or
    "hotspot:5%@17", `length` the bytes of every message.
    """
    options = {
        "platform": platform,
        "network": network,
        "routes": routes,
        "load": ",".join(str(load) for load in loads) or None,
        "pattern": pattern,
        "process": process,
        "length": length,
        "saturation": saturation,
        "messages": messages,
        "warm_up": warm_up,
        "batches": batches,
        "seed": seed,
        "report": report,
        "json": "-",
        "quiet": True,
    }
    data = json.loads(carry_out(command_line("traffic", options=options, set=set)).stdout)
    return TrafficResult(rows_of_traffic(data), data)


def stats(trace: PathLike) -> dict[str, Any]:
    """What a trace says of its program's messages: `morgana stats --json`."""
    words = command_line("stats", [trace], options={"json": "-", "quiet": True})
    return json.loads(carry_out(words).stdout)


def timeline(trace: PathLike) -> pandas.DataFrame:
    """A row for each call, each message and each rank's end of a trace: `morgana export --to csv`."""
    words = command_line("export", [trace], options={"to": "csv", "output": "-", "quiet": True})
    return frame_of_csv(carry_out(words).stdout)
