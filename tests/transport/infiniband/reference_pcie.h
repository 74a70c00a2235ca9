#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/host/pcie_bus.h"

namespace morgana::testing {

/// The bus of one host as PcieBus' header has it, by what is left to be done: two queues of work for each
/// resource, which pass time together, each at half speed, until one is empty. In halves of a picosecond.
class ReferencePcie {
 public:
  explicit ReferencePcie(const PcieParameters& parameters) : parameters_(parameters) {}

  /// How long from now on what is read keeps the NIC from reading more.
  std::int64_t until_read(std::int64_t now) {
    std::int64_t longest = 0;
    for (Shared& one : resources_) {
      one.pass_until(now);
      longest = std::max(longest, one.empty_in(0));
    }
    return longest;
  }
  void read(std::int64_t now, std::int64_t bytes) {
    const std::int64_t requests = pieces(bytes, parameters_.max_read_request);
    add(0, now, {link(requests * 24), link(bytes + pieces(bytes, parameters_.max_payload) * 20), all(bytes)});
  }
  /// @return by how much longer it takes than alone
  std::int64_t write(std::int64_t now, std::int64_t bytes, bool completes = false, bool whole = false) {
    const std::int64_t entry = completes ? parameters_.completion.count() : 0;
    const bool inside = entry > 0 && whole && bytes <= parameters_.completion_payload.count();
    std::int64_t on_link = entry + pieces(entry, parameters_.max_payload) * 24;
    if (!inside) on_link += bytes + pieces(bytes, parameters_.max_payload) * 24;
    return written(now, {link(on_link), 0, all(bytes)});
  }
  /// A work request of so many bytes, written by the processor. @return as write
  std::int64_t post(std::int64_t now, std::int64_t bytes) {
    const std::int64_t block = parameters_.work_request.count();
    if (block == 0) return 0;
    return written(now, {0, link(pieces(bytes, parameters_.work_request) * (block + 24)), 0});
  }
  void read_receive(std::int64_t now) {
    const std::int64_t bytes = parameters_.receive_request.count();
    if (bytes > 0) add(0, now, {link(24), link(bytes + 20), 0});
  }

 private:
  struct Shared {
    std::array<std::int64_t, 2> halves{};
    std::int64_t at = 0;

    void pass_until(std::int64_t now) {
      const std::int64_t together = std::min({now - at, halves[0], halves[1]});
      const std::int64_t alone = now - at - together;
      for (std::int64_t& one : halves) one = std::max<std::int64_t>(one - together - 2 * alone, 0);
      at = now;
    }
    std::int64_t empty_in(std::size_t way) const {
      const std::int64_t own = halves[way], other = halves[1 - way];
      return own <= other ? own : other + (own - other) / 2;
    }
  };

  std::int64_t written(std::int64_t now, const std::array<std::int64_t, 3>& work) {
    add(1, now, work);
    std::int64_t longer = 0;
    for (std::size_t i = 0; i < work.size(); ++i)
      if (work[i] > 0) longer = std::max(longer, resources_[i].empty_in(1) - work[i]);
    return longer;
  }
  static std::int64_t pieces(std::int64_t bytes, Bytes piece) {
    std::int64_t number = 0;
    for (; bytes > 0; bytes -= piece.count()) ++number;
    return number;
  }
  std::int64_t link(std::int64_t bytes) const {
    return parameters_.rate == BitRate(0) ? 0 : parameters_.rate.time_for(Bytes(bytes)).ps();
  }
  std::int64_t all(std::int64_t bytes) const {
    return parameters_.both_ways == BitRate(0) ? 0 : parameters_.both_ways.time_for(Bytes(bytes)).ps();
  }
  void add(std::size_t way, std::int64_t now, const std::array<std::int64_t, 3>& work) {
    for (std::size_t i = 0; i < work.size(); ++i) {
      resources_[i].pass_until(now);
      resources_[i].halves[way] += 2 * work[i];
    }
  }

  PcieParameters parameters_;
  std::array<Shared, 3> resources_;  // to the host, to the NIC, both ways
};

}  // namespace morgana::testing
