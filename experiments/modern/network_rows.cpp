// Routes on dragonflies and flattened butterflies.

#include <fmt/format.h>

#include <utility>

#include "experiments/modern/rows.h"

namespace morgana::modern_papers {
namespace {

constexpr const char* uniform = "uniform";
constexpr double half = 0.5, a_32nd = 1.0 / 32;
/// What a paper calls close to a value.
constexpr double close = 0.1;
constexpr std::uint64_t few = 100'000, many = 400'000;

Condition with(Loads& loads, const LoadedNetwork& network, std::uint64_t packets = many) {
  return loads.enter(network, packets);
}

/// Of the mean latency under two conditions.
Row latency_row(std::string id, std::string title, std::string paper, const Condition& above,
                const Condition& below) {
  Row row{std::move(id), std::move(title), std::move(paper), "", RowKind::shape, as_worded("longer")};
  row.needs = {above, below};
  row.measure = [above, below](const Laboratory& laboratory) {
    const double one = laboratory.mean(above, "latency"), other = laboratory.mean(below, "latency");
    return found(one > other, fmt::format("{:.0f} cycles against {:.0f}", one, other));
  };
  return row;
}

}  // namespace

Condition Loads::enter(LoadedNetwork network, std::uint64_t packets) {
  network.packets = packets;
  const std::string name = network.name;
  loads_.insert_or_assign(name, std::move(network));
  return {.workload = name};
}

Row figure_row(std::string id, std::string title, std::string paper, std::string unit, Rule rule,
               const Condition& condition, std::string figure) {
  Row row{std::move(id),   std::move(title),       std::move(paper),
          std::move(unit), RowKind::deterministic, std::move(rule)};
  row.needs = {condition};
  row.measure = [condition, figure = std::move(figure)](const Laboratory& laboratory) {
    return measured(laboratory.mean(condition, figure));
  };
  return row;
}

std::vector<Row> dragonfly_rows(Loads& loads) {
  constexpr const char* share = "of the hosts' rate";
  const auto accepted = [&](const std::string& id, const std::string& title, const std::string& paper,
                            Rule rule, const LoadedNetwork& network, std::uint64_t packets = many) {
    return figure_row(id, title, paper, share, std::move(rule), with(loads, network, packets), "accepted");
  };
  constexpr double middle = 0.2;
  const auto at_middle = [&](const std::string& routes, unsigned buffered_packets = 256) {
    return with(loads, dragonfly(routes, worst_case, middle, buffered_packets));
  };
  std::vector<Row> rows{
      accepted("DF-1.minimal", "Dragonfly, uniform traffic: accepted by minimal routes", "close to 1",
               at_least(1 - close), dragonfly("minimal", uniform, 1)),
      accepted("DF-1.ugal-l", "Dragonfly, uniform traffic: accepted by UGAL-L", "close to minimal routes",
               at_least((1 - close) * (1 - close)), dragonfly("ugal-l", uniform, 1)),
      accepted("DF-1.valiant", "Dragonfly, uniform traffic: accepted by Valiant's routes", "half",
               within_share(half, close), dragonfly("valiant", uniform, 0.6)),
      accepted("DF-2.minimal", "Dragonfly, worst case: accepted by minimal routes", "1/(a h) = 1/32",
               within_share(a_32nd, 0.03), dragonfly("minimal", worst_case, 0.06), few),
      accepted("DF-2.valiant", "Dragonfly, worst case: accepted by Valiant's routes", "slightly under a half",
               within_share(half, close), dragonfly("valiant", worst_case, 0.6)),
      accepted("DF-2.ugal-g", "Dragonfly, worst case: accepted by UGAL-G", "as Valiant's routes",
               within_share(half, close), dragonfly("ugal-g", worst_case, 0.6)),
      accepted("DF-2.ugal-l", "Dragonfly, worst case: accepted by UGAL-L", "close to a half (a figure)",
               within_share(half, close), dragonfly("ugal-l", worst_case, 0.6)),
      latency_row("DF-3.ugal-g", "Dragonfly, worst case at 0.2: latency of UGAL-L against UGAL-G", "longer",
                  at_middle("ugal-l"), at_middle("ugal-g")),
      latency_row("DF-3.buffers",
                  "Dragonfly, worst case at 0.2: latency of UGAL-L with buffers of 1,024 packets against 256",
                  "longer (a figure)", at_middle("ugal-l", 1'024), at_middle("ugal-l"))};
  return rows;
}

std::vector<Row> flattened_butterfly_rows(Loads& loads) {
  constexpr const char* share = "of the hosts' rate";
  const auto accepted = [&](const std::string& id, const std::string& title, const std::string& paper,
                            Rule rule, const std::string& routes, const std::string& pattern, double load,
                            std::uint64_t packets = many) {
    return figure_row(id, title, paper, share, std::move(rule),
                      with(loads, flattened_butterfly(routes, pattern, load), packets), "accepted");
  };
  return {accepted("FB-1.minimal", "Flattened butterfly, uniform traffic: accepted by minimal routes",
                   "close to 1", at_least(1 - close), "minimal", uniform, 1),
          accepted("FB-1.ugal-l", "Flattened butterfly, uniform traffic: accepted by UGAL-L", "close to 1",
                   at_least(1 - close), "ugal-l", uniform, 1),
          accepted("FB-1.valiant", "Flattened butterfly, uniform traffic: accepted by Valiant's routes",
                   "half", within_share(half, close), "valiant", uniform, 0.6),
          accepted("FB-2.minimal", "Flattened butterfly, worst case: accepted by minimal routes", "1/32",
                   within_share(a_32nd, 0.03), "minimal", worst_case, 0.06, few),
          accepted("FB-2.valiant", "Flattened butterfly, worst case: accepted by Valiant's routes", "half",
                   within_share(half, close), "valiant", worst_case, 0.6),
          accepted("FB-2.ugal-l", "Flattened butterfly, worst case: accepted by UGAL-L", "half",
                   within_share(half, close), "ugal-l", worst_case, 0.6)};
}

}  // namespace morgana::modern_papers
