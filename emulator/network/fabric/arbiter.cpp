#include "emulator/network/fabric/arbiter.h"

#include <bit>
#include <cassert>

namespace morgana::fabric {
namespace {

constexpr std::int64_t bytes_of_weight = 64;
constexpr std::int64_t bytes_of_limit = 4'096;
constexpr unsigned no_limit = 255;

}  // namespace

LaneArbiter::LaneArbiter(LaneArbitration arbitration, unsigned groups, const LaneTables& tables)
    : arbitration_(arbitration), groups_(static_cast<std::uint8_t>(groups)), tables_(&tables) {
  if (arbitration != LaneArbitration::weighted) return;
  in_high_ = groups_of(tables.high);
  in_low_ = groups_of(tables.low);
  if (!tables.high.empty()) high_.left = static_cast<std::int32_t>(tables.high.front().weight);
  if (!tables.low.empty()) low_.left = static_cast<std::int32_t>(tables.low.front().weight);
}

GroupSet LaneArbiter::groups_of(std::span<const LaneWeight> table) {
  GroupSet set = 0;
  for (const LaneWeight& line : table) set |= only(line.group);
  return set;
}

LaneArbiter::Choice LaneArbiter::choose(GroupSet ready) const {
  assert(ready != 0);
  switch (arbitration_) {
    case LaneArbitration::strict:
      return {static_cast<unsigned>(std::countr_zero(ready))};
    case LaneArbitration::round_robin: {
      const GroupSet from_next = ready & ~(only(next_) - 1);
      return {static_cast<unsigned>(std::countr_zero(from_next != 0 ? from_next : ready))};
    }
    case LaneArbitration::weighted:
      break;
  }
  const std::int64_t limit = bytes_of_limit * tables_->high_limit;
  const bool allowed = tables_->high_limit == no_limit || sent_high_ == 0 || sent_high_ < limit;
  const bool high = (ready & in_high_) != 0 && ((ready & in_low_) == 0 || allowed);
  const std::span<const LaneWeight> table = high ? tables_->high : tables_->low;
  const unsigned entry = next_entry(table, high ? high_ : low_, ready);
  return {table[entry].group, high, static_cast<std::uint8_t>(entry)};
}

/// From the current entry on while any of its weight is left, and once round to itself.
unsigned LaneArbiter::next_entry(std::span<const LaneWeight> table, const Place& place, GroupSet ready) {
  const auto may = [&](std::size_t entry) { return (ready & only(table[entry].group)) != 0; };
  if (place.left > 0 && may(place.entry)) return place.entry;
  for (std::size_t step = 1; step <= table.size(); ++step) {
    const std::size_t entry = (place.entry + step) % table.size();
    if (may(entry)) return static_cast<unsigned>(entry);
  }
  assert(false);
  return 0;
}

void LaneArbiter::advance(std::span<const LaneWeight> table, Place& place, unsigned entry, Bytes size) {
  if (entry != place.entry || place.left <= 0) place.left = static_cast<std::int32_t>(table[entry].weight);
  place.entry = static_cast<std::uint8_t>(entry);
  place.left -= static_cast<std::int32_t>((size.count() + bytes_of_weight - 1) / bytes_of_weight);
}

void LaneArbiter::sent(const Choice& choice, Bytes size) {
  if (arbitration_ == LaneArbitration::round_robin)
    next_ = static_cast<std::uint8_t>(choice.group + 1 < groups_ ? choice.group + 1 : 0);
  if (arbitration_ != LaneArbitration::weighted) return;
  if (choice.high) {
    advance(tables_->high, high_, choice.entry, size);
    sent_high_ += size.count();
  } else {
    advance(tables_->low, low_, choice.entry, size);
    sent_high_ = 0;
  }
}

}  // namespace morgana::fabric
