#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/network/network.h"
#include "tests/network/fabric/fabric_outcome.h"

namespace morgana::testing {

/// The packets of a plan, and what trimming has made of them.
class ReferencePackets {
 public:
  ReferencePackets(const fabric::FabricParameters& parameters, std::vector<FabricInjection> plan)
      : format_(parameters.packet), trim_(parameters.trim), plan_(std::move(plan)) {}

  std::size_t count() const { return plan_.size(); }
  const FabricInjection& operator[](std::size_t packet) const { return plan_[packet]; }
  /// On the link.
  Bytes size(std::size_t packet) const {
    return trims_.contains(packet) ? trim_.size : format_.on_link(plan_[packet].payload);
  }
  unsigned class_of(std::size_t packet) const {
    return trims_.contains(packet) || promoted_.contains(packet) ? trim_.traffic_class
                                                                 : plan_[packet].traffic_class;
  }
  Trimmed trimmed(std::size_t packet) const {
    return trims_.contains(packet) ? trims_.at(packet) : Trimmed::no;
  }

  /// Whether a full queue could cut it to its header.
  bool may_be_cut(std::size_t packet) const {
    return trim_.size > Bytes(0) && plan_[packet].may_be_trimmed && !trims_.contains(packet) &&
           size(packet) > trim_.size;
  }

  /// @return whether it is a header now, or as short as one, in the class of headers
  bool trim(std::size_t packet, Trimmed where) {
    if (trim_.size == Bytes(0) || !plan_[packet].may_be_trimmed) return false;
    if (trims_.contains(packet)) return false;
    if (size(packet) > trim_.size) {
      trims_[packet] = where;
      return true;
    }
    if (class_of(packet) == trim_.traffic_class) return false;
    promoted_.insert(packet);
    return true;
  }

 private:
  fabric::PacketFormat format_;
  fabric::TrimParameters trim_;
  std::vector<FabricInjection> plan_;
  std::map<std::size_t, Trimmed> trims_;
  std::set<std::size_t> promoted_;  // short packets in the class of trimmed ones
};

}  // namespace morgana::testing
