#include "emulator/transport/latency_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr std::int64_t microsecond = 1'000'000;  // in picoseconds

// Every cell of some transports is looked up here.
constexpr auto ends = [] {
  std::array<SimTime, LatencyClasses::classes> all{};
  std::int64_t decade = microsecond;
  for (std::size_t number = 0; number < all.size(); ++number) {
    constexpr std::int64_t steps[] = {1, 2, 5};
    all[number] = SimTime::from_ps(decade * steps[number % 3]);
    if (number % 3 == 2) decade *= 10;
  }
  all.back() = SimTime::max();
  return all;
}();

}  // namespace

SimTime LatencyClasses::end(std::size_t number) {
  return ends[std::min(number, classes - 1)];
}

void LatencyClasses::add(SimTime latency) {
  const auto number = std::upper_bound(ends.begin(), ends.end() - 1, latency) - ends.begin();
  ++counts_[static_cast<std::size_t>(number)];
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
