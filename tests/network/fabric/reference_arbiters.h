#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"

namespace morgana::testing {

/// The first member from a pointer on, cyclically. The pointer is 0 at first and one more than the chosen
/// member after each choice.
class ReferenceRoundRobin {
 public:
  /// What `choose` would choose.
  unsigned next(const std::set<unsigned>& members) const {
    const auto chosen = members.lower_bound(next_);
    return chosen == members.end() ? *members.begin() : *chosen;
  }
  unsigned choose(const std::set<unsigned>& members) {
    const unsigned chosen = next(members);
    next_ = chosen + 1;
    return chosen;
  }

 private:
  unsigned next_ = 0;
};

/// A table of weighted arbitration, as docs/fabric.md takes from it.
class ReferenceWeightTable {
 public:
  explicit ReferenceWeightTable(std::vector<fabric::LaneWeight> entries) : entries_(std::move(entries)) {
    if (!entries_.empty()) left_ = entries_.front().weight;
  }

  bool has_one_of(const std::set<unsigned>& groups) const {
    for (const fabric::LaneWeight& entry : entries_)
      if (groups.contains(entry.group)) return true;
    return false;
  }
  /// @param groups  the table has one of them
  unsigned choose(const std::set<unsigned>& groups) {
    for (std::size_t step = 0; step <= entries_.size(); ++step) {
      const std::size_t entry = (current_ + step) % entries_.size();
      const std::int64_t weight = step == 0 ? left_ : entries_[entry].weight;
      if (weight <= 0 || !groups.contains(entries_[entry].group)) continue;
      current_ = entry;
      left_ = weight;
      break;
    }
    assert(groups.contains(entries_[current_].group));
    return entries_[current_].group;
  }
  void sent(Bytes size) { left_ -= (size.count() + 63) / 64; }

 private:
  std::vector<fabric::LaneWeight> entries_;
  std::size_t current_ = 0;
  std::int64_t left_ = 0;
};

/// Groups with a packet that may start, and the size on the link of the packet that each would send.
using ReferenceFirstPackets = std::map<unsigned, Bytes>;

/// Classes by their weights, those without a weight first.
class ReferenceDeficitRoundRobin {
 public:
  /// @param of_class  how many groups each class has
  ReferenceDeficitRoundRobin(const fabric::FabricParameters& parameters, unsigned of_class)
      : of_class_(of_class),
        weights_(parameters.class_weights),
        largest_(parameters.packet.on_link(parameters.packet.largest)) {
    while (current_ < weights_.size() && weights_[current_] == 0) ++current_;
    if (current_ < weights_.size()) deficits_[current_] = quantum(current_);
  }

  unsigned choose(const ReferenceFirstPackets& first) {
    std::map<unsigned, std::set<unsigned>> groups;  // by class
    for (const auto& [group, size] : first) groups[group / of_class_].insert(group);
    for (const auto& [number, of_class] : groups)
      if (weights_.at(number) == 0) return turns_[number].choose(of_class);
    while (true) {
      if (groups.contains(current_)) {
        const Bytes size = first.at(turns_[current_].next(groups[current_]));
        if (size <= deficits_[current_]) {
          deficits_[current_] -= size;
          return turns_[current_].choose(groups[current_]);
        }
      } else {
        deficits_[current_] = Bytes(0);
      }
      do current_ = (current_ + 1) % static_cast<unsigned>(weights_.size());
      while (weights_[current_] == 0);
      if (groups.contains(current_)) deficits_[current_] += quantum(current_);
    }
  }

 private:
  Bytes quantum(unsigned number) const { return weights_[number] * largest_; }

  unsigned of_class_;
  std::vector<unsigned> weights_;  // by class
  Bytes largest_;
  std::map<unsigned, ReferenceRoundRobin> turns_;  // `g`, by class
  std::map<unsigned, Bytes> deficits_;             // `d`, by class
  unsigned current_ = 0;
};

/// Chooses the group that a channel sends on next.
class ReferenceLaneArbiter {
 public:
  /// @param of_class  how many groups each class has
  ReferenceLaneArbiter(const fabric::FabricParameters& parameters, unsigned of_class)
      : policy_(parameters.lane_arbitration),
        high_limit_(parameters.tables.high_limit),
        high_(parameters.tables.high),
        low_(parameters.tables.low),
        deficits_(parameters, of_class) {}

  /// @param first  not empty
  unsigned choose(const ReferenceFirstPackets& first) {
    if (policy_ == fabric::LaneArbitration::deficit_round_robin) return deficits_.choose(first);
    std::set<unsigned> groups;
    for (const auto& [group, size] : first) groups.insert(group);
    if (policy_ == fabric::LaneArbitration::round_robin) return round_robin_.choose(groups);
    if (policy_ == fabric::LaneArbitration::strict) return *groups.begin();
    from_high_ = high_.has_one_of(groups) && (!low_.has_one_of(groups) || count_allows());
    return from_high_ ? high_.choose(groups) : low_.choose(groups);
  }
  /// Follows each choice: the size on the link of the packet that started.
  void sent(Bytes size) {
    if (policy_ != fabric::LaneArbitration::weighted) return;
    (from_high_ ? high_ : low_).sent(size);
    count_ = from_high_ ? count_ + size.count() : 0;
  }

 private:
  bool count_allows() const {
    if (high_limit_ == 255) return true;
    if (high_limit_ == 0) return count_ == 0;
    return count_ < 4'096 * std::int64_t{high_limit_};
  }

  fabric::LaneArbitration policy_;
  unsigned high_limit_;
  ReferenceRoundRobin round_robin_;
  ReferenceWeightTable high_, low_;
  ReferenceDeficitRoundRobin deficits_;
  bool from_high_ = false;
  std::int64_t count_ = 0;  // bytes from the high table since the last packet from the low one
};

}  // namespace morgana::testing
