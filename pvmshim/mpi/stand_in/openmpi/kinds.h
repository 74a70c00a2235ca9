#pragma once

#include <mpi.h>

namespace morgana::stand_in {

// What is the same number to both interfaces.
using Tag = int;
using ThreadLevel = int;
using ThreadLevelOut = int*;
using ComparisonOut = int*;
using FileMode = int;
using FileModeOut = int*;
using Whence = int;
using Displacement = MPI_Offset;
using BsendBuffer = void*;
/// How many items a partition has: a large count here.
using ItemsOfPartition = MPI_Count;

}  // namespace morgana::stand_in
