#include <fmt/format.h>

#include <algorithm>

#include "experiments/am2/rows.h"

// Sections 5.2 to 5.4: 92 nodes, and up to 92 clients of a server.
namespace morgana::am2_paper {
namespace {

Condition table_1(ExchangePattern pattern, int bytes) {
  return live_exchange(pattern, cluster, bytes);
}

Condition clients_of_4_words(int clients, int outstanding) {
  return on_am2(requests(clients, outstanding));
}

std::vector<Condition> clients_from(int least, int most, int outstanding) {
  std::vector<Condition> all;
  for (const int clients : client_numbers())
    if (clients >= least && clients <= most) all.push_back(on_am2(requests(clients, outstanding)));
  return all;
}

Measurement lowest_rate(const Laboratory& laboratory, const std::vector<Condition>& conditions) {
  double least = 0, most = 0;
  for (const Condition& one : conditions) {
    const double rate = laboratory.mean(one, "rate");
    least = least == 0 ? rate : std::min(least, rate);
    most = std::max(most, rate);
  }
  Measurement result = measured(least);
  result.text = fmt::format("{:.0f} to {:.0f}", least, most);
  return result;
}

Row figure_of(const char* id, const char* title, const char* paper, const char* unit, Rule rule,
              const Condition& condition, const char* figure) {
  return row(id, title, paper, unit, RowKind::statistical, std::move(rule), {condition},
             [=](const Laboratory& laboratory) {
               return measured(laboratory.interval(condition, figure), laboratory.outcomes(condition).size());
             });
}

/// A server of one endpoint takes its requests as they come, so that it has to be a program.
void add_long_requests(std::vector<Row>& rows) {
  constexpr int milliseconds = 100, bytes = 1024;
  std::vector<Condition> crowd;
  for (const int clients : {2, 4, 7, 14, 28, 46, cluster})
    crowd.push_back(live_clients(Serving::one, clients, milliseconds, bytes));
  rows.push_back(row("V-19.rate", "the same with requests of 1 KB, live: lowest over highest rate", "flat",
                     "", RowKind::shape, at_least(0.9), crowd, [crowd](const Laboratory& laboratory) {
                       double least = 0, most = 0;
                       for (const Condition& one : crowd) {
                         const double rate = laboratory.mean(one, "rate");
                         least = least == 0 ? rate : std::min(least, rate);
                         most = std::max(most, rate);
                       }
                       Measurement result = measured(least / most);
                       result.text =
                           fmt::format("{:.1f} to {:.1f} MB/s", least * bytes / 1e6, most * bytes / 1e6);
                       return result;
                     }));
  rows.push_back(row("V-19.shares", "the same: shares, furthest from equal ones", "equal", "", RowKind::shape,
                     between(0, 0.16), crowd, [crowd](const Laboratory& laboratory) {
                       double least = 1, most = 1;
                       for (const Condition& one : crowd) {
                         least = std::min(least, laboratory.mean(one, "least"));
                         most = std::max(most, laboratory.mean(one, "most"));
                       }
                       return furthest_share(least, most);
                     }));
  rows.back().note =
      "switches serve their inputs in turn: a client whose input is a cable has a part of that cable's turns";
}

}  // namespace

void add_cluster(Experiment& experiment) {
  auto& rows = experiment.rows;
  const char* const one_gap =
      "that the gap is a request's with its reply was concluded from it, and the firmware's cycles from the "
      "gap";
  rows.push_back(figure_of("V-13", "92 nodes, neighbours: bandwidth a host", "30.97", "MB/s",
                           at_least(0.95 * 31), table_1(ExchangePattern::neighbours, 4096), "mb_per_s"));
  rows.back().note =
      "each host's one DMA engine takes 102 us to fetch 4 KB and 75 us to store as many, with the published "
      "costs of the paper on pipelines: no more than 23 MB/s each way";
  rows.push_back(figure_of("V-14", "the same, round trip", "47.5", "us", within_share(47.5, 0.15),
                           table_1(ExchangePattern::neighbours, 16), "us"));
  rows.push_back(figure_of("V-15", "92 nodes, across the bisection: bandwidth a host", "5.65", "MB/s",
                           between(0.6 * 5.65, 1.6 * 5.65), table_1(ExchangePattern::bisection, 4096),
                           "mb_per_s"));
  rows.back() =
      fitted(rows.back(), "it failed with routes balanced over cables, before the network's were drawn");
  rows.push_back(figure_of("V-16", "the same, round trip", "50.8", "us", between(0, 2 * round_trip),
                           table_1(ExchangePattern::bisection, 16), "us"));
  const std::vector<Condition> shifted{table_1(ExchangePattern::shift, 4096),
                                       table_1(ExchangePattern::neighbours, 4096)};
  rows.push_back(row("V-17", "92 nodes, shift: bandwidth over the neighbours'", "(lost)", "", RowKind::shape,
                     between(0.9, 1.1), shifted, [shifted](const Laboratory& laboratory) {
                       return measured(laboratory.mean(shifted[0], "mb_per_s") /
                                       laboratory.mean(shifted[1], "mb_per_s"));
                     }));
  const auto crowd = clients_from(2, cluster, credits);
  rows.push_back(row("V-18", "2 to 92 clients, one endpoint: lowest rate of the server", "62578", "1/s",
                     RowKind::statistical, between(0.85 * peak, 1.005 * peak), crowd,
                     [crowd](const Laboratory& laboratory) { return lowest_rate(laboratory, crowd); }));
  rows.back() = fitted(rows.back(), one_gap);
  add_long_requests(rows);
  const std::vector<Condition> ends{clients_of_4_words(14, 1), clients_of_4_words(cluster, 1)};
  rows.push_back(
      row("V-20", "round trip's growth a client, one request outstanding, 14 to 92", "15.98", "us",
          RowKind::deterministic, within_share(gap, 0.05), ends, [ends](const Laboratory& laboratory) {
            return measured((laboratory.mean(ends[1], "trip_us") - laboratory.mean(ends[0], "trip_us")) /
                            (cluster - 14));
          }));
  rows.back() = fitted(rows.back(), one_gap);
  const auto few = clients_from(1, frames, credits);
  rows.push_back(row("V-21", "1 to 7 clients, a resident endpoint each: lowest rate of the server",
                     "within 11 % of 62578", "1/s", RowKind::statistical, at_least(55'694), few,
                     [few](const Laboratory& laboratory) { return lowest_rate(laboratory, few); }));
}

}  // namespace morgana::am2_paper
