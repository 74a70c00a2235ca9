#pragma once

#include <cstddef>

namespace morgana::mpi {

// What a rank's process starts. Until the rank has begun (MPI_Init), that may become the rank in its place or
// as its child: a shell, nice, gdb. From then on it is a program of its own, also if it is another MPI job:
// it sees nothing of this run.

/// From now on: takes out of the environment what makes a process a rank.
void keep_run_from_children();

/// The environment for a program that this process executes.
/// @param room  at least room_for_child(environment) bytes, aligned for pointers. No memory is
/// allocated: the caller may be a child of vfork, which shares its parent's memory.
char* const* environment_of_child(char* const* environment, void* room);
std::size_t room_for_child(char* const* environment);

}  // namespace morgana::mpi
