#include "emulator/transport/latency_classes.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr std::int64_t microsecond = 1'000'000;  // in picoseconds

}  // namespace

SimTime LatencyClasses::end(std::size_t number) {
  if (number + 1 >= classes) return SimTime::max();
  constexpr std::int64_t steps[] = {1, 2, 5};
  std::int64_t decade = microsecond;
  for (std::size_t place = number / 3; place > 0; --place) decade *= 10;
  return SimTime::from_ps(decade * steps[number % 3]);
}

void LatencyClasses::add(SimTime latency) {
  std::size_t number = 0;
  while (latency >= end(number) && number + 1 < classes) ++number;
  ++counts_[number];
  ++messages_;
  seconds_ += latency.seconds();
  longest_ = std::max(longest_, latency);
}

CounterTable latency_table(const std::string& title, const std::vector<ConnectionLatency>& connections,
                           const std::string& what) {
  std::size_t first = LatencyClasses::classes, last = 0;
  for (const ConnectionLatency& connection : connections)
    for (std::size_t number = 0; number < LatencyClasses::classes; ++number)
      if (connection.latency->in(number) > 0) {
        first = std::min(first, number);
        last = std::max(last, number);
      }
  CounterTable table{title, {{"from host"}, {"to host"}, {what}, {"mean (us)"}, {"longest (us)"}}, {}};
  for (std::size_t number = first; number <= last; ++number)
    table.columns.push_back({number + 1 < LatencyClasses::classes
                                 ? fmt::format("< {}", to_text(LatencyClasses::end(number)))
                                 : "longer"});
  for (const auto& [from, to, latency] : connections) {
    if (latency->messages() == 0) continue;
    table.rows.push_back({static_cast<std::int64_t>(index(from)), static_cast<std::int64_t>(index(to)),
                          static_cast<std::int64_t>(latency->messages()), latency->mean_seconds() * 1e6,
                          latency->longest().seconds() * 1e6});
    for (std::size_t number = first; number <= last; ++number)
      table.rows.back().emplace_back(static_cast<std::int64_t>(latency->in(number)));
  }
  return table;
}

}  // namespace morgana
