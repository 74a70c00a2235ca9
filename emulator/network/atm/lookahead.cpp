#include <algorithm>

#include "emulator/network/atm/atm_network.h"

namespace morgana {
namespace {
using namespace atm;

constexpr std::int64_t far = never / 4;

}  // namespace

// A cell that is at one switch can't be offered to an output of another sooner than this, whatever its way.
void AtmNetwork::find_lookahead(bool of_used_trunks) {
  const std::size_t n = switches();
  lookahead_.assign(n * n, far);
  for (std::size_t to = 0; to < n; ++to) {
    lookahead_[to * n + to] = 0;
    for (const Incoming& trunk : incoming_[to])
      if (trunk.used || !of_used_trunks) {
        std::int64_t& distance = lookahead_[trunk.from * n + to];
        distance = std::min(distance, trunk.time);
      }
  }
  for (std::size_t by = 0; by < n; ++by)
    for (std::size_t from = 0; from < n; ++from)
      for (std::size_t to = 0; to < n; ++to)
        lookahead_[from * n + to] =
            std::min(lookahead_[from * n + to], lookahead_[from * n + by] + lookahead_[by * n + to]);
  lookahead_is_old_ = false;
}

// Of any host at a switch to any host at one; hosts may be many, switches are few.
void AtmNetwork::find_least_latency() {
  const std::size_t n = switches();
  std::vector<std::int64_t> into(n, far), out_of(n, far);
  for (const Host& host : fabric_.hosts) {
    into[host.at] = std::min(into[host.at], host.send_work + host.send_stage + host.cell_time +
                                                host.propagation + fabric_.switches[host.at]->delay());
    out_of[host.at] =
        std::min(out_of[host.at], host.cell_time + host.propagation + host.receive_stage + host.receive_work);
  }
  std::int64_t least = far;
  for (std::size_t from = 0; from < n; ++from)
    for (std::size_t to = 0; to < n; ++to)
      if (into[from] < far && out_of[to] < far && lookahead_[from * n + to] < far)
        least = std::min(least, into[from] + lookahead_[from * n + to] + out_of[to]);
  least_latency_ = least == far ? SimTime() : SimTime::from_ps(least);
}

// Nothing new can be offered to `first` before this. What has been offered to other switches has been passed
// on; the rest has to be offered to a neighbour, wait behind what is queued there, and cross the trunk. No
// way leads through a switch twice.
std::int64_t AtmNetwork::bound_of(std::uint32_t first) const {
  const std::size_t n = switches();
  std::int64_t bound = never;
  for (const Incoming& trunk : incoming_[first]) {
    if (!trunk.used) continue;
    std::int64_t offered = far;
    for (std::size_t s = 0; s < n; ++s)
      if (s != first && fabric_.earliest[s] != never)
        offered = std::min(offered, fabric_.earliest[s] + lookahead_[s * n + trunk.from]);
    if (offered == far) continue;
    const std::int64_t sent = std::max(offered, fabric_.switches[trunk.from]->free_from(trunk.output));
    bound = std::min(bound, sent + trunk.time);
  }
  return bound;
}

// A switch goes ahead as far as no other can send it anything new.
void AtmNetwork::work_out(std::int64_t until) {
  const std::uint32_t n = switches();
  if (lookahead_is_old_) find_lookahead(true);
  while (true) {
    std::uint32_t first = 0;
    for (std::uint32_t s = 1; s < n; ++s)
      if (fabric_.earliest[s] < fabric_.earliest[first]) first = s;
    if (fabric_.earliest[first] > until) return;
    fabric_.switches[first]->advance(fabric_, std::min(until + 1, bound_of(first)));
    fabric_.earliest[first] = fabric_.switches[first]->earliest();
  }
}

}  // namespace morgana
