#include "emulator/transport/congestion/dctcp.h"

#include <algorithm>

namespace morgana {

Dctcp::Dctcp(const WindowParameters& window, const DctcpParameters& parameters)
    : NewReno(window), dctcp_(parameters), alpha_(parameters.first_alpha) {}

void Dctcp::acknowledged(const Acknowledged& what) {
  acknowledged_ += what.bytes;
  if (what.marked) marked_ += what.bytes;
  if (what.up_to > window_end_) {
    const double share = static_cast<double>(marked_.count()) / static_cast<double>(acknowledged_.count());
    alpha_ = (1 - dctcp_.gain) * alpha_ + dctcp_.gain * share;
    acknowledged_ = marked_ = Bytes();
    window_end_ = what.sent_up_to;
  }
  NewReno::acknowledged(what);
}

void Dctcp::congested(SimTime now, Bytes in_flight, Congestion why) {
  if (why == Congestion::loss) return NewReno::congested(now, in_flight, why);
  const auto less = static_cast<std::int64_t>(static_cast<double>(window_.count()) * (1 - alpha_ / 2));
  cut_to(std::max(Bytes(less), 2 * parameters_.segment));
}

}  // namespace morgana
