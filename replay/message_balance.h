#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// Messages sent less those received, by pair of ranks. Up to some thousands of ranks every pair has its
/// number; beyond, only the pairs that are not even: of a program that talks to neighbours, few at a time.
class MessageBalance {
 public:
  /// @param services  the ranks before this one don't count: a replay ends with the last of the others, and
  ///     what services are told last, nobody waits for
  MessageBalance(std::size_t ranks, std::size_t services)
      : ranks_(ranks), services_(services), dense_(ranks <= most_dense_ranks ? ranks * ranks : 0) {}

  void sent(Rank from, Rank to) { add(from, to, 1); }
  void received(Rank from, Rank to) { add(from, to, -1); }
  /// Messages that were sent and not received.
  std::uint64_t unmatched() const {
    std::uint64_t count = 0;
    for (const std::int32_t difference : dense_)
      count += difference > 0 ? static_cast<std::uint64_t>(difference) : 0;
    for (const auto& [pair, difference] : sparse_)
      count += difference > 0 ? static_cast<std::uint64_t>(difference) : 0;
    return count;
  }

 private:
  static constexpr std::size_t most_dense_ranks = 4096;

  void add(Rank from, Rank to, std::int32_t what) {
    if (index(from) < services_ || index(to) < services_) return;
    const std::uint64_t pair = std::uint64_t{index(from)} * ranks_ + index(to);
    if (!dense_.empty()) {
      dense_[pair] += what;
      return;
    }
    const auto entry = sparse_.try_emplace(pair, 0).first;
    if ((entry->second += what) == 0) sparse_.erase(entry);
  }

  std::size_t ranks_, services_;
  std::vector<std::int32_t> dense_;
  std::unordered_map<std::uint64_t, std::int64_t> sparse_;  // only summed up
};

}  // namespace morgana
