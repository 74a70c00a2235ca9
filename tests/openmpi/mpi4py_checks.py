"""Checks of mpi4py that scripts register with @check, and what they share; run_all() calls them on all ranks and prints
one line each, "ok NAME" or "FAIL NAME", where it holds on all ranks."""

import sys
from array import array

from mpi4py import MPI

world = MPI.COMM_WORLD
rank, size = world.rank, world.size
after, before = (rank + 1) % size, (rank - 1) % size
checks = []


def check(function):
    checks.append(function)
    return function


def ints(*values):
    return array("i", values)


def run_all():
    for function in checks:
        try:
            holds = bool(function())
        except Exception as error:
            holds = False
            sys.stderr.write("rank %d: %s: %s: %s\n" % (rank, function.__name__, type(error).__name__, error))
        holds = world.allreduce(holds, op=MPI.LAND)
        if rank == 0:
            print("ok" if holds else "FAIL", function.__name__, flush=True)
