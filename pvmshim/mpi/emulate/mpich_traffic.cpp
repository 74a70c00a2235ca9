#include "pvmshim/mpi/emulate/mpich_traffic.h"

#include <atomic>
#include <string>

#include "pvmshim/mpi/emulate/call_turn.h"
#include "pvmshim/mpi/mode.h"

namespace morgana::mpi::emulated {
namespace {

std::atomic<int> traffic_under_way{0};

}  // namespace

MpichTraffic::MpichTraffic() {
  traffic_under_way.fetch_add(1, std::memory_order_relaxed);
}

MpichTraffic::~MpichTraffic() {
  traffic_under_way.fetch_sub(1, std::memory_order_relaxed);
}

void check_mpich_traffic() {
  if (traffic_under_way.load(std::memory_order_relaxed) == 0 && mode() == Mode::emulate && running())
    end_unrefused_call();
}

void end_unrefused_call() {
  const char* const call = CallTurn::current();
  if (call == nullptr)
    fail(
        "MPICH exchanges messages in a call that is taken to concern this rank alone and is not simulated: "
        "use "
        "a function that docs/mpi-functions.md lists as modelled");
  fail(std::string(call) +
       " is called with arguments that are not valid and that MPICH does not refuse, so that it would be "
       "carried out outside of the simulation: check its buffers, counts, datatypes and MPI_IN_PLACE");
}

}  // namespace morgana::mpi::emulated
