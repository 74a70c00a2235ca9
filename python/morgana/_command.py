"""Starting the command."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PathLike = str | os.PathLike[str]


class MorganaError(Exception):
    """The command has ended with an exit code other than 0.

    `exit_code` is the program's own, or 2 for a request that cannot be met, 3 for a deadlock; `message` is what
    the command has printed on standard error, `output` what the program has printed.
    """

    def __init__(self, exit_code: int, message: str, output: str = "") -> None:
        super().__init__(message.strip() or f"morgana ended with exit code {exit_code}")
        self.exit_code = exit_code
        self.message = message
        self.output = output


def executable() -> str:
    """The command: what the environment variable MORGANA names, or `morgana` in PATH."""
    named = os.environ.get("MORGANA")
    found = named or shutil.which("morgana")
    if not found:
        raise FileNotFoundError(
            "morgana is not in PATH: install it, or let the environment variable MORGANA name it"
        )
    return found


@dataclass(frozen=True)
class Program:
    """One of several programs of a run (MPMD): a program, or it with its arguments, and the ranks that run it."""

    words: PathLike | Sequence[PathLike]
    ranks: int = 1
    env: Mapping[str, str] = field(default_factory=dict)


Programs = PathLike | Sequence[PathLike] | Sequence[Program]


def as_program(program: PathLike | Sequence[PathLike]) -> list[str]:
    """A program and its arguments, as they stand behind "--"; a text alone is a program without any."""
    if isinstance(program, (str, os.PathLike)):
        program = [program]
    words = [os.fspath(word) for word in program]
    # A lone ":" would separate programs.
    return ["\\" + word if word.endswith(":") and not word[:-1].strip("\\") else word for word in words]


def as_programs(programs: Programs, ranks: int | None) -> tuple[list[str], list[str]]:
    """The options for the first program, and what follows "--". Several programs have their own ranks."""
    if isinstance(programs, (str, os.PathLike)) or not all(isinstance(one, Program) for one in programs):
        return ([] if ranks is None else ["--ranks", str(ranks)]), as_program(programs)
    if not programs or ranks not in (None, 1):
        raise ValueError("several programs are given their ranks one by one: Program(words, ranks=N)")
    options: list[list[str]] = []
    for one in programs:
        variables = [word for name, value in one.env.items() for word in ("--env", f"{name}={value}")]
        options.append(["-n", str(one.ranks), *variables])
    words = as_program(programs[0].words)
    for one, own in zip(programs[1:], options[1:]):
        words += [":", *own, *as_program(one.words)]
    return options[0], words


def command_line(
    name: str,
    arguments: Sequence[PathLike] = (),
    *,
    options: Mapping[str, object] = {},
    set: Mapping[str, object] = {},
    program: Programs | None = None,
) -> list[str]:
    """The words of `morgana NAME ARGUMENTS --option value --set key=value -- PROGRAM`.

    Underscores of an option's name become dashes. What is None or False is left out, True is a flag, and a list
    repeats the option.
    """
    words = [executable(), name, *(os.fspath(one) for one in arguments)]
    started: list[str] = []
    if program is not None:
        options = dict(options)
        own, started = as_programs(program, options.pop("ranks", None))
        words += own
    for option, value in options.items():
        flag = "--" + option.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
        elif isinstance(value, (list, tuple)):
            for one in value:
                words += [flag, str(one)]
        else:
            words += [flag, str(value)]
    for key, value in set.items():
        words += ["--set", f"{key}={value}"]
    if program is not None:
        words += ["--", *started]
    return words


def without_own_files(text: str) -> str:
    """Without the line about results that were not written where these are files of ours, which nobody asked for."""
    own = re.compile(r"^morgana: not written, as the run did not come to its end: (.*)$")
    prefix = os.path.join(tempfile.gettempdir(), "morgana-")

    def kept(line: str) -> bool:
        found = own.match(line.rstrip("\n"))
        return not (found and all(name.startswith(prefix) for name in found.group(1).split(", ")))

    return "".join(line for line in text.splitlines(keepends=True) if kept(line))


def carry_out(words: Sequence[str], cwd: PathLike | None = None) -> subprocess.CompletedProcess[str]:
    """Waits for the command's end. Raises MorganaError unless its exit code is 0."""
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MorganaError(done.returncode, without_own_files(done.stderr), done.stdout)
    return done


def absolute(path: PathLike) -> str:
    return str(Path(path).resolve())
