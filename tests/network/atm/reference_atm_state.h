#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "emulator/network/atm/atm_network.h"
#include "emulator/network/atm/cell.h"
#include "emulator/topology/cable_plan.h"
#include "tests/network/atm/reference_abr.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// A packet for the reference and the shipped model; its id is its place in the plan.
struct PlannedTrain {
  SimTime at;
  std::uint32_t from, to;
  std::uint32_t cells;
  ServiceCategory category = ServiceCategory::ubr;
};

/// What ReferenceAtm knows of cells, switches and hosts. Times in ps.
namespace atm_reference {

/// Cells of no train: background, and resource management.
inline constexpr std::uint32_t background = ~std::uint32_t{0}, resource = background - 1;

struct Cell {
  std::uint32_t train, index;
  ServiceCategory category;
  std::uint32_t from, to;  // hosts; of resource management: the connection's, whichever way it goes
  PlainResourceCell told = {};
};

/// An ABR connection that is told its rate.
struct Paced {
  PlainSource source;
  std::deque<Cell> waiting = {};
  std::uint64_t plans = 0;  // of its next cell; only the last one counts
};

struct Queued {
  Cell cell;
  std::uint64_t admitted;  // counts up
};

struct Output {
  Link link;
  bool to_host;
  std::uint32_t number, input;       // of the host or the next switch
  std::deque<Queued> urgent, other;  // CBR and VBR go first where priorities count
  bool busy;
  std::uint32_t sent;
  std::uint32_t trunk;
  atm::OutputCounters counters = {};
  std::int64_t noted = 0;
  std::optional<PlainErica> erica = {};
};

/// Before an output changes: queue and transmission since it did last.
inline void note(Output& output, std::int64_t now) {
  const auto queue =
      static_cast<std::int64_t>(output.urgent.size() + output.other.size()) + (output.busy ? 1 : 0);
  output.counters.queue_seconds += static_cast<double>(queue * (now - output.noted)) * 1e-12;
  if (output.busy) output.counters.busy_seconds += static_cast<double>(now - output.noted) * 1e-12;
  output.counters.longest_queue = std::max(output.counters.longest_queue, queue);
  output.noted = now;
}

/// Of a cell that waits in an output's other queue.
struct Place {
  Output* output = nullptr;  ///< null: none
  std::size_t number = 0;
};

struct OneSwitch {
  std::vector<Output> outputs;
  std::unique_ptr<atm::Background> background;
  std::int64_t occupied = 0;
  std::uint64_t seen = 0, above_estimate = 0;
  std::uint64_t admitted = 0;

  Place youngest_ubr() {
    Place youngest;
    std::uint64_t latest = 0;
    for (Output& output : outputs)
      for (std::size_t number = 0; number < output.other.size(); ++number) {
        const Queued& one = output.other[number];
        if (one.cell.category != ServiceCategory::ubr || one.admitted < latest) continue;
        youngest = {&output, number};
        latest = one.admitted;
      }
    return youngest;
  }
};

struct OneHost {
  Link link;
  std::deque<std::uint32_t> packets;
  std::deque<Cell> before_stage, before_link, arrived;
  bool packets_busy = false, stage_busy = false, link_busy = false, receiver_busy = false;
};

/// What a switch knows of a channel's packet: a cell after one that is marked as a packet's end begins one.
struct PacketState {
  bool inside = false, damaged = false, refused = false;
};

/// "All cells received between two 'end cells' are considered to belong to the same packet" (the thesis,
/// 1.3.3); its length and CRC then tell whether they do.
class Assembly {
 public:
  /// A cell of a train of so many has come. @return whether a packet has ended, and is whole
  bool take(const Cell& cell, std::uint32_t of) {
    std::vector<Cell>& cells = cells_[{cell.from, cell.to, cell.category}];
    cells.push_back(cell);
    if (cell.index + 1 < of) return false;
    bool whole = cells.size() == of;
    for (const Cell& one : cells) whole = whole && one.train == cell.train;
    cells.clear();
    return whole;
  }
  void clear() { cells_.clear(); }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, ServiceCategory>, std::vector<Cell>> cells_;
};

/// Over the fewest trunks; of equally long ways over the trunk with the lowest number.
/// @return by switch and last switch the trunk
inline std::vector<std::vector<std::uint32_t>> trunks_towards(const CablePlan& plan) {
  const std::uint32_t n = plan.switches, far = 1'000'000;
  std::vector<std::vector<std::uint32_t>> distance(n, std::vector<std::uint32_t>(n, far));
  for (std::uint32_t s = 0; s < n; ++s) distance[s][s] = 0;
  for (const CablePlan::Trunk& trunk : plan.trunks)
    distance[trunk.a][trunk.b] = distance[trunk.b][trunk.a] = 1;
  for (std::uint32_t over = 0; over < n; ++over)
    for (std::uint32_t from = 0; from < n; ++from)
      for (std::uint32_t to = 0; to < n; ++to)
        distance[from][to] = std::min(distance[from][to], distance[from][over] + distance[over][to]);
  std::vector<std::vector<std::uint32_t>> towards(n, std::vector<std::uint32_t>(n, far));
  for (std::uint32_t t = static_cast<std::uint32_t>(plan.trunks.size()); t-- > 0;) {
    const CablePlan::Trunk& trunk = plan.trunks[t];
    for (std::uint32_t to = 0; to < n; ++to) {
      if (distance[trunk.b][to] + 1 == distance[trunk.a][to]) towards[trunk.a][to] = t;
      if (distance[trunk.a][to] + 1 == distance[trunk.b][to]) towards[trunk.b][to] = t;
    }
  }
  return towards;
}

}  // namespace atm_reference
}  // namespace morgana::testing
