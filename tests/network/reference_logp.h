#pragma once

#include <algorithm>
#include <deque>
#include <vector>

#include "emulator/network/logp/logp_network.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// LogGP, one picosecond after the other: the oracle for LogpNetwork. Slow, and plain on purpose.
inline std::vector<Fate> reference_logp(const std::vector<Planned>& plan, std::size_t ports,
                                        const LogpParameters& parameters) {
  struct Flying {
    std::size_t unit;
    std::int64_t lands_at;
  };
  struct Port {
    std::deque<std::size_t> to_send;
    std::deque<Flying> to_receive;  // in the order in which they have started
    std::int64_t sending_ends = 0, receiving_ends = 0;
  };
  const std::int64_t latency = parameters.latency.ps();
  const std::int64_t gap = parameters.gap.ps();
  const auto first_bytes = [&](std::size_t unit) {
    return std::min(plan[unit].bytes, parameters.latency_bytes.count()) * parameters.latency_per_byte.fs() /
           1000;
  };
  const auto transfer = [&](std::size_t unit) {
    const std::int64_t bytes = plan[unit].bytes == 0 ? 1 : plan[unit].bytes;
    return (bytes - 1) * parameters.gap_per_byte.fs() / 1000;
  };

  std::vector<Fate> fates(plan.size());
  std::vector<Port> port(ports);
  std::size_t injected = 0, delivered = 0;
  for (std::int64_t now = 0; delivered < plan.size(); ++now) {
    for (; injected < plan.size() && plan[injected].at.ps() == now; ++injected)
      port[plan[injected].from].to_send.push_back(injected);
    std::vector<Flying> started;
    for (Port& sender : port)
      while (!sender.to_send.empty() && sender.sending_ends <= now) {
        const std::size_t unit = sender.to_send.front();
        sender.to_send.pop_front();
        sender.sending_ends = now + gap + transfer(unit);
        fates[unit].departed = SimTime::from_ps(now + transfer(unit));
        started.push_back({unit, now + latency + first_bytes(unit)});
      }
    std::sort(started.begin(), started.end(),
              [](const Flying& a, const Flying& b) { return a.unit < b.unit; });
    for (const Flying& flying : started) port[plan[flying.unit].to].to_receive.push_back(flying);
    for (Port& receiver : port)
      while (!receiver.to_receive.empty() && receiver.to_receive.front().lands_at <= now &&
             receiver.receiving_ends <= now) {
        const std::size_t unit = receiver.to_receive.front().unit;
        receiver.to_receive.pop_front();
        receiver.receiving_ends = now + gap + transfer(unit);
        fates[unit].delivered = SimTime::from_ps(now + transfer(unit));
        ++delivered;
      }
  }
  return fates;
}

}  // namespace morgana::testing
