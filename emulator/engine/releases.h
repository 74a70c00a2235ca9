#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

#include "emulator/engine/request_table.h"
#include "emulator/operations/causality.h"

namespace morgana {

/// For a CausalityObserver: what makes waiting ranks continue, that is, where each ready request comes from.
/// Without an observer nothing is stored; callers check are_asked() before they report anything.
class Releases {
 public:
  /// All of them must outlive this object. @param observer  may be null
  Releases(CausalityObserver* observer, const std::vector<RankState>& ranks, const RequestTable& requests)
      : observer_(observer), ranks_(ranks), requests_(requests) {}

  bool are_asked() const { return observer_ != nullptr; }
  void note(std::uint32_t slot, const Origin& origin) {
    if (are_asked()) origins_[slot] = origin;
  }
  /// The slot serves a new request.
  void forget(std::uint32_t slot) {
    if (are_asked()) origins_.erase(slot);
  }
  /// Of a request; null if none was noted, or there is no observer. Lasts until the next note().
  Origin* origin_of(std::uint32_t slot);

  /// @param idle_from  since when the rank, which goes on at `at`, has had nothing to do
  [[gnu::cold]] void tell(Rank rank, SimTime idle_from, SimTime at, const Origin& origin) const;
  /// Of a request that is being completed.
  [[gnu::cold]] void tell(std::uint32_t slot, SimTime idle_from) const;
  /// Of a rank that another one has started.
  [[gnu::cold]] void tell_begin(Rank rank, SimTime at, Rank by) const;

 private:
  CausalityObserver* observer_;
  const std::vector<RankState>& ranks_;
  const RequestTable& requests_;
  tsl::robin_map<std::uint32_t, Origin> origins_;  ///< of what is ready, by slot
};

}  // namespace morgana
