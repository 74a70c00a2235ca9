#include "emulator/traffic/idle_times.h"

namespace morgana {

IdleTimes::IdleTimes(const NetworkUnderTest& network, std::uint64_t seed, Bytes packet)
    : network_(network.make(events_, seed)), packet_(packet) {
  network_->report_to(*this);
}

/// Of so many packets of that size at once.
double IdleTimes::measure(std::uint32_t from, std::uint32_t to, Bytes size, std::uint64_t packets) {
  const SimTime start = events_.now();
  lost_ = false;
  for (std::uint64_t n = 0; n < packets; ++n)
    network_->inject({UnitId{injected_++}, PortId{from}, PortId{to}, size});
  while (gone_ < injected_ && !events_.empty()) events_.handle_next();
  return lost_ || gone_ < injected_ ? 0 : static_cast<double>((events_.now() - start).ps()) / ps_per_ns;
}

double IdleTimes::of(std::uint32_t from, std::uint32_t to, Bytes size) {
  constexpr std::uint64_t several = 8;
  const auto [found, is_new] = pairs_.try_emplace({from, to});
  Pair& pair = found->second;
  if (is_new) {
    pair.least = measure(from, to, Bytes(1), 1);
    pair.full = measure(from, to, packet_, 1);
    pair.each = (measure(from, to, packet_, several) - pair.full) / (several - 1);
  }
  if (pair.least <= 0 || pair.full <= 0) return 0;
  const auto bytes = static_cast<double>(size.count()), most = static_cast<double>(packet_.count());
  if (size <= packet_)
    return packet_ == Bytes(1) ? pair.full : pair.least + (pair.full - pair.least) * (bytes - 1) / (most - 1);
  return pair.full + (bytes - most) / most * pair.each;
}

}  // namespace morgana
