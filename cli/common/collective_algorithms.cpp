#include "cli/common/collective_algorithms.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/collectives/algorithm_choice.h"

namespace morgana::cli {
namespace {

/// Programs whose collectives have other sizes each time: those beyond are not looked at.
constexpr std::size_t most_kept = 4096, most_calls = 4;

std::int64_t sum_of(const std::vector<Bytes>& sizes) {
  return std::transform_reduce(sizes.begin(), sizes.end(), std::int64_t{0}, std::plus<>(),
                               [](Bytes size) { return size.count(); });
}

}  // namespace

void CollectiveAlgorithms::operation_ended(Rank rank, const Operation& operation, SimTime, SimTime,
                                           std::span<const Completed>) {
  constexpr std::uint32_t all = 0;
  if (operation.kind == OperationKind::context_created)
    places_.announce(rank, operation.context, operation.members);
  if (operation.kind != OperationKind::collective ||
      operation.collective.kind == CollectiveKind::create_context)
    return;
  const ContextPlaces::Place place = places_.find(rank, operation.context, all);
  if (place.me != 0) return;
  const CollectivePart& part = operation.collective;
  const std::uint32_t flags = (part.commutative ? 1U : 0U) | (part.in_place ? 2U : 0U) |
                              (part.blocking ? 4U : 0U) | (part.first_group != 0 ? 8U : 0U);
  const Key key{operation.call,       place.members,
                part.bytes.count(),   sum_of(part.send_sizes) + sum_of(part.receive_sizes),
                part.element.count(), flags};
  const auto known = uses_.find(key);
  if (known != uses_.end())
    ++known->second.count;
  else if (uses_.size() < most_kept)
    uses_.emplace(key, Use{part, 1});
}

std::string CollectiveAlgorithms::text(const RunStatistics& statistics,
                                       const CollectiveTuning& tuning) const {
  const auto ranks = static_cast<std::uint32_t>(statistics.ranks().size());
  std::string text;
  std::size_t calls = 0, more = 0;
  for (const CallUse& use : statistics.calls()) {
    std::vector<std::pair<std::string, std::uint64_t>> of_call;  // and how often
    std::uint64_t all = 0;
    for (const auto& [key, one] : uses_) {
      const std::uint32_t members = std::get<1>(key) == 0 ? ranks : std::get<1>(key);
      if (std::get<0>(key) != use.call || members < 2) continue;
      const std::string name = algorithm_text(one.part, static_cast<std::int32_t>(members), tuning);
      if (name.empty()) continue;
      all += one.count;
      const auto known = std::ranges::find(of_call, name, &decltype(of_call)::value_type::first);
      if (known != of_call.end())
        known->second += one.count;
      else
        of_call.emplace_back(name, one.count);
    }
    if (of_call.empty()) continue;
    if (++calls > most_calls) {
      ++more;
      continue;
    }
    std::ranges::stable_sort(of_call, std::ranges::greater(), &decltype(of_call)::value_type::second);
    text += fmt::format("{}{} by ", text.empty() ? "" : "; ", name_of(use.call));
    for (std::size_t i = 0; i < of_call.size(); ++i)
      text += fmt::format("{}{}{}", i > 0 ? ", " : "", of_call[i].first,
                          of_call.size() > 1 ? fmt::format(" ({} of {})", of_call[i].second, all) : "");
  }
  if (text.empty()) return "";
  if (more > 0) text += fmt::format("; and {} calls more", more);
  return text + (tuning.library == CollectiveLibrary::openmpi ? " (Open MPI 4.1's algorithms)"
                                                              : " (MPICH 4.0's algorithms)");
}

}  // namespace morgana::cli
