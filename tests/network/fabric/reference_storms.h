#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::testing {

/// Which pauses the hosts want, and what their last pause frames told.
class ReferenceStorms {
 public:
  /// @param of_class  how many groups each traffic class has
  ReferenceStorms(const fabric::FabricParameters& parameters, unsigned of_class, std::size_t hosts)
      : storms_(parameters.storms), classes_(parameters.classes), of_class_(of_class), told_(hosts) {}

  /// Every time at which a host begins or ceases to want something.
  std::set<SimTime> changes() const {
    std::set<SimTime> all;
    for (const fabric::PauseStorm& storm : storms_) {
      all.insert(storm.from);
      if (storm.until < SimTime::max()) all.insert(storm.until);
    }
    return all;
  }
  bool owes_frame(HostNumber host, SimTime now) const { return wanted(host, now) != told_[host]; }
  /// The frame starts. @return the groups that it names
  std::set<unsigned> tell(HostNumber host, SimTime now) {
    told_[host] = wanted(host, now);
    std::set<unsigned> groups;
    for (unsigned group = 0; group < classes_ * of_class_; ++group)
      if (told_[host].contains(group / of_class_)) groups.insert(group);
    return groups;
  }

 private:
  /// Traffic classes.
  std::set<unsigned> wanted(HostNumber host, SimTime now) const {
    std::set<unsigned> all;
    for (const fabric::PauseStorm& storm : storms_)
      for (unsigned one = 0; one < classes_; ++one)
        if (storm.host == host && (storm.classes >> one & 1) == 1 && storm.from <= now && now < storm.until)
          all.insert(one);
    return all;
  }

  std::vector<fabric::PauseStorm> storms_;
  unsigned classes_, of_class_;
  std::vector<std::set<unsigned>> told_;  // classes, by host
};

}  // namespace morgana::testing
