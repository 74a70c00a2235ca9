#include "emulator/interface/lanai/host_dma.h"

#include <algorithm>
#include <cassert>

namespace morgana {

SimTime PciBus::transfer(SimTime now, Bytes size, BusDirection direction) {
  const BitRate rate = direction == BusDirection::to_host ? to_host_ : from_host_;
  free_at_ = std::max(free_at_, now) + latency_ + rate.time_for(size);
  return free_at_;
}

void HostDma::start(Bytes size) {
  assert(!busy_);
  busy_ = true;
  events_.schedule(bus_.transfer(events_.now(), size, direction_), *this);
}

void HostDma::handle(std::uint64_t /*what*/) {
  busy_ = false;
  processor_.raise(finished_);
}

}  // namespace morgana
