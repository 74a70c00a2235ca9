#include "emulator/network/myrinet/parameters.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

void require(bool fine, const char* what) {
  if (!fine) throw Error(fmt::format("Myrinet: {}", what));
}

}  // namespace

void MyrinetParameters::check() const {
  const SimTime zero;
  require(flit > zero && cable > zero && control > zero && routing > zero,
          "the times of a flit, a cable, a stop's or go's way and routing must be at least 1 ps");
  require(type_bytes >= 1, "a packet's type has at least one byte");
  require(
      detection >= zero && dma_programming >= zero && host_memory_delay >= zero && deadlock_timeout >= zero,
      "times can't be negative");
  require(go_below >= 1 && go_below <= stop_above + 1,
          "go must come below at least 1 flit and at most one more than stop");
  require(priority_threshold >= 0, "the priority threshold can't be negative");
  require(pool >= Bytes(0), "the pool for in-transit packets can't be negative");
  require(corruption >= 0 && corruption <= 1, "the probability of corruption lies between 0 and 1");
  const std::int64_t way = (control + cable).ps();
  const std::int64_t on_the_way = (way + flit.ps() - 1) / flit.ps();
  if (stop_above + on_the_way + 1 > slack) {
    throw Error(
        fmt::format("Myrinet: a slack buffer of {} flits overflows if stop is sent above {}, for {} more "
                    "come before it works: "
                    "give it at least {}",
                    slack, stop_above, on_the_way, stop_above + on_the_way + 1));
  }
}

}  // namespace morgana
