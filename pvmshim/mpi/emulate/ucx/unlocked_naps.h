#pragma once

#include <chrono>

namespace morgana::mpi::emulated {

// MPICH looks for messages with its lock held, and gives it up only for a moment between two looks. A thread
// that slept within a look would keep the rank's other threads from MPICH, since they are hardly ever quick
// enough for that moment. So it sleeps once MPICH has unlocked.

/// From now on MPICH's unlocking is seen, if its calls can be replaced. Before there are several threads.
/// @param sleep  sleeps for a time at most, in any thread
void see_mpich_unlock(void (*sleep)(std::chrono::microseconds longest));
/// Within a look: the calling thread sleeps when MPICH next unlocks.
/// @return false if that can't be seen: the caller has to sleep itself
bool sleep_when_mpich_unlocks(std::chrono::microseconds longest);

}  // namespace morgana::mpi::emulated
