#include "pvmshim/mpi/emulate/ucx/unlocked_naps.h"

#include <pthread.h>

#include <utility>

#include "pvmshim/mpi/emulate/ucx/link_table.h"

namespace morgana::mpi::emulated {
namespace {

using std::chrono::microseconds;

/// Null if MPICH's unlocking is not seen.
void (*sleep_for)(microseconds) = nullptr;

/// What the calling thread is to sleep when MPICH unlocks.
thread_local microseconds owed{0};

int unlock_for_mpich(pthread_mutex_t* mutex) {
  const int error = pthread_mutex_unlock(mutex);
  if (owed > microseconds(0)) sleep_for(std::exchange(owed, microseconds(0)));
  return error;
}

}  // namespace

void see_mpich_unlock(void (*sleep)(microseconds)) {
  if (replace_calls_of("libmpich.so", {{"pthread_mutex_unlock", reinterpret_cast<void*>(&unlock_for_mpich)}}))
    sleep_for = sleep;
}

bool sleep_when_mpich_unlocks(microseconds longest) {
  if (sleep_for == nullptr) return false;
  owed = longest;
  return true;
}

}  // namespace morgana::mpi::emulated
