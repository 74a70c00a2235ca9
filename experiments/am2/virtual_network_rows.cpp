#include <fmt/format.h>

#include <algorithm>

#include "experiments/am2/rows.h"

// Section 5.4: a server with a virtual network for each client, up to what its interface has frames for and
// beyond. am2.clients, live.
namespace morgana::am2_paper {
namespace {

constexpr int most_endpoints = 84;  // twelve times the frames

/// With 40 ms in a frame (interface.am2.residence) the endpoints have had their turns after 84 / 7 * 40 = 480
/// ms; of a run of 3 s its last 2.4 s are counted, five turns of each.
constexpr int turns_of_all = 3000;

/// A thread an endpoint, of twice as many endpoints as frames: more threads cost much more to run. All have
/// had their turns after 80 ms; of a run of 600 ms its last 480 are counted, six turns of each.
constexpr int threads = 14, turns_of_threads = 600;

/// The paper's five minutes are too long to be run; what is measured is stationary well before.
Condition resident(int clients) {
  return live_clients(Serving::each, clients, 100);
}

double rate_of(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "rate");
}

void add_threads(std::vector<Row>& rows) {
  const Condition served = live_clients(Serving::threads, threads, turns_of_threads);
  rows.push_back(
      row("V-24", "14 clients, a thread sleeps on each endpoint: server's rate", "53,488", "requests/s",
          RowKind::statistical, within_share(53'488, 0.15), {served}, [=](const Laboratory& laboratory) {
            return measured(laboratory.interval(served, "rate"), laboratory.outcomes(served).size());
          }));
  rows.push_back(row("V-25", "the same: shares, furthest from equal ones", "40 % above, 36 % below", "",
                     RowKind::statistical, between(0.2, 0.6), {served}, [=](const Laboratory& laboratory) {
                       return furthest_share(laboratory.mean(served, "least"),
                                             laboratory.mean(served, "most"));
                     }));
  rows.back() =
      fitted(rows.back(),
             "it failed before the paper's network was taken and short messages shared receive buffers");
}

}  // namespace

Measurement furthest_share(double least, double most) {
  Measurement result = measured(std::max(most - 1, 1 - least));
  result.text = fmt::format("{:.2f} to {:.2f} of an equal share", least, most);
  return result;
}

void add_virtual_networks(Experiment& experiment) {
  auto& rows = experiment.rows;
  std::vector<Condition> few;
  for (int clients = 1; clients <= frames; ++clients) few.push_back(resident(clients));
  rows.push_back(row("V-22", "1 to 7 clients, live: shares, furthest from equal ones", "within 16 %", "",
                     RowKind::statistical, between(0, 0.16), few, [few](const Laboratory& laboratory) {
                       double least = 1, most = 1;
                       for (const Condition& one : few) {
                         least = std::min(least, laboratory.mean(one, "least"));
                         most = std::max(most, laboratory.mean(one, "most"));
                       }
                       return furthest_share(least, most);
                     }));
  rows.back() =
      fitted(rows.back(), "that short messages lie side by side in receive buffers was concluded from it");
  const Condition seven = resident(frames),
                  polled = live_clients(Serving::each, most_endpoints, turns_of_all);
  rows.push_back(row("V-23", "84 clients, one thread polls all endpoints: server's rate over that of 7",
                     "significant drop", "", RowKind::shape, between(0, 0.75), {seven, polled},
                     [=](const Laboratory& laboratory) {
                       const double here = rate_of(laboratory, polled), there = rate_of(laboratory, seven);
                       Measurement result = measured(here / there);
                       result.text = fmt::format("{:.0f} of {:.0f} requests/s", here, there);
                       return result;
                     }));
  rows.back() = fitted(rows.back(), "interface.am2.residence is the third rule that was tried for it");
  add_threads(rows);
  rows.push_back(row("V-26", "endpoints over frames with which a server is run", "12", "",
                     RowKind::deterministic, as_worded("each of 84 endpoints on 7 frames is served"),
                     {polled}, [=](const Laboratory& laboratory) {
                       return found(laboratory.mean(polled, "least") > 0,
                                    fmt::format("{} on {}, each of them served", most_endpoints, frames));
                     }));
}

}  // namespace morgana::am2_paper
