#include "pvmshim/mpi/mode.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/told.h"

namespace morgana::mpi {
namespace {

constexpr int exit_code = 1;  // the guide's: did what is not supported
bool is_running = false;

}  // namespace

Mode mode() {
  static const Mode chosen = !is_on_the_runs_line()                               ? Mode::pass
                             : told(RankChannel::path_variable) != nullptr        ? Mode::emulate
                             : told(CaptureLogWriter::folder_variable) != nullptr ? Mode::capture
                                                                                  : Mode::pass;
  return chosen;
}

bool running() {
  return is_running;
}

void set_running(bool now_running) {
  static const int watching = pthread_atfork(nullptr, nullptr, [] { is_running = false; });
  static_cast<void>(watching);
  is_running = now_running;
}

void fail(std::string_view what) {
  std::string message = "morgana: ";
  int rank = -1;
  if (is_running && real().MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS)
    message += "rank " + std::to_string(rank) + ": ";
  message.append(what).append("\n");
  std::fputs(message.c_str(), stderr);
  std::fflush(nullptr);
  // Who watches the run ends all of it as soon as this process is gone; mpiexec must have passed on the
  // message.
  constexpr timespec moment{0, 100'000'000};
  syscall(SYS_nanosleep, &moment, nullptr);
  _exit(exit_code);
}

}  // namespace morgana::mpi
