#include "pvmshim/mpi/record/recorded_windows.h"

#include <memory>
#include <unordered_map>

#include "pvmshim/mpi/record/recorder.h"

namespace morgana::mpi::captured {
namespace {

std::unordered_map<MPI_Win, std::unique_ptr<Window>>& windows() {
  static std::unordered_map<MPI_Win, std::unique_ptr<Window>> known;
  return known;
}

}  // namespace

Window& add_window(MPI_Win win, const Communicator& comm) {
  auto& window = windows()[win];
  const Context own = recorder().communicators().next_derived(Derived::window, comm);
  window = std::make_unique<Window>(win, comm.in_context(own), [] { return recorder().next_id(); });
  return *window;
}

Window* find_window(MPI_Win win) {
  const auto found = windows().find(win);
  return found == windows().end() ? nullptr : found->second.get();
}

void forget_window(MPI_Win win) {
  windows().erase(win);
}

}  // namespace morgana::mpi::captured
