#include "emulator/traffic/idle_times.h"

#include <algorithm>

#include "emulator/traffic/quiet_network.h"

namespace morgana {

IdleTimes::IdleTimes(const NetworkUnderTest& network, std::uint64_t seed, Bytes packet)
    : draws_(network.draws) {
  // What is left to chance does not repeat.
  const std::uint64_t most_packets = draws_ > 1 ? 256 : 4'096;
  for (const auto& make : network.quiet.empty() ? std::vector{network.make} : network.quiet)
    networks_.push_back(std::make_unique<QuietNetwork>(
        [make, seed](EventQueue& events) { return make(events, seed); }, packet, most_packets));
}

IdleTimes::~IdleTimes() = default;

double IdleTimes::of(std::uint32_t from, std::uint32_t to, Bytes size) {
  const auto [found, is_new] = times_.try_emplace({from, to, size.count()});
  double& least = found->second;
  if (!is_new) return least;
  for (const auto& network : networks_) {
    for (std::uint32_t draw = 0; draw < draws_; ++draw) {
      const auto time = network->time(from, to, size, draw);
      if (!time) continue;
      const double ns = static_cast<double>(time->ps()) / ps_per_ns;
      least = least > 0 ? std::min(least, ns) : ns;
    }
  }
  return least;
}

}  // namespace morgana
