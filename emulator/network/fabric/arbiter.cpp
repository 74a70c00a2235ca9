#include "emulator/network/fabric/arbiter.h"

#include <cassert>

namespace morgana::fabric {
namespace {

constexpr std::int64_t bytes_of_weight = 64;
constexpr std::int64_t bytes_of_limit = 4'096;
constexpr unsigned no_limit = 255;

}  // namespace

LaneArbiter::LaneArbiter(const FabricParameters& parameters, unsigned groups)
    : parameters_(&parameters), groups_(static_cast<std::uint8_t>(groups)) {
  if (parameters.lane_arbitration == LaneArbitration::deficit_round_robin) {
    shares_.resize(parameters.classes);
    while (current_ + 1U < parameters.classes && parameters.class_weights[current_] == 0) ++current_;
    shares_[current_].deficit = parameters.quantum(current_).count();
  }
  if (parameters.lane_arbitration != LaneArbitration::weighted) return;
  const LaneTables& tables = parameters.tables;
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
  const LaneTables& tables = parameters_->tables;
  const std::int64_t limit = bytes_of_limit * tables.high_limit;
  const bool allowed = tables.high_limit == no_limit || sent_high_ == 0 || sent_high_ < limit;
  const bool high = (ready & in_high_) != 0 && ((ready & in_low_) == 0 || allowed);
  const std::span<const LaneWeight> table = high ? tables.high : tables.low;
  const unsigned entry = next_entry(table, high ? high_ : low_, ready);
  return {table[entry].group, high, static_cast<std::uint16_t>(entry)};
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
  place.entry = static_cast<std::uint16_t>(entry);
  place.left -= static_cast<std::int32_t>((size.count() + bytes_of_weight - 1) / bytes_of_weight);
}

void LaneArbiter::sent(const Choice& choice, Bytes size) {
  const LaneTables& tables = parameters_->tables;
  if (choice.high) {
    advance(tables.high, high_, choice.entry, size);
    sent_high_ += size.count();
  } else {
    advance(tables.low, low_, choice.entry, size);
    sent_high_ = 0;
  }
}

/// @param traffic_class  becomes the lowest class without a weight that has a packet, if there is one
bool LaneArbiter::strict_ready(GroupSet ready, unsigned& traffic_class) const {
  const std::vector<unsigned>& weights = parameters_->class_weights;
  for (traffic_class = 0; traffic_class < weights.size(); ++traffic_class)
    if (weights[traffic_class] == 0 && (ready & groups_of(traffic_class)) != 0) return true;
  return false;
}

/// The next class with a weight becomes the current one. @pre one has a packet
void LaneArbiter::next_class(GroupSet ready) {
  const std::vector<unsigned>& weights = parameters_->class_weights;
  do {
    current_ = static_cast<std::uint8_t>(current_ + 1U < weights.size() ? current_ + 1 : 0);
  } while (weights[current_] == 0);
  if ((ready & groups_of(current_)) != 0) shares_[current_].deficit += parameters_->quantum(current_).count();
}

}  // namespace morgana::fabric
