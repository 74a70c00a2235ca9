#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "emulator/operations/observer.h"
#include "emulator/platform/platform.h"
#include "emulator/report/context_places.h"
#include "emulator/report/run_statistics.h"

namespace morgana::cli {

/// Sees whether a call's collectives are those of all ranks.
class CollectiveGroups final : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  /// Whether every one had `ranks` members.
  bool are_of_all(Call call, std::size_t ranks) const;

 private:
  static constexpr std::uint32_t all = 0;
  ContextPlaces places_;
  /// By call: the members of the smallest group among those that ranks have announced.
  std::array<std::uint32_t, static_cast<std::size_t>(Call::count_)> smallest_{};
};

/// How a run was made, as its command line says.
struct HintedRun {
  const Platform& platform;
  std::string platform_name;  ///< as --platform names it
  std::string map;            ///< PlacementOptions::text()
  std::span<const std::string> overrides;
  bool openmpi_collectives = false;  ///< calls had Open MPI's algorithms, not MPICH's
};

/// How to find out whether another algorithm makes the run faster, where one collective takes half of the
/// ranks' time, what they wait for each other not counted; empty elsewhere, of collectives that are few,
/// short or of some ranks only, and where the algorithm was chosen. No algorithm is tried.
std::string collective_hint(const RunStatistics& statistics, const CollectiveGroups& groups,
                            const HintedRun& run);

}  // namespace morgana::cli
