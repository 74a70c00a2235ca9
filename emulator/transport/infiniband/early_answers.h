#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "emulator/transport/infiniband/packet.h"

namespace morgana::rc {

/// Answers that have come to a requester before a read response that is missing, by their PSN.
class EarlyAnswers {
 public:
  void keep(Psn psn, const Header& answer) { answers_.emplace(psn, answer); }
  bool empty() const { return answers_.empty(); }
  const Header& first() const { return answers_.begin()->second; }
  void drop_first() { answers_.erase(answers_.begin()); }

  bool has_response(Psn psn) const {
    const auto [first, last] = answers_.equal_range(psn);
    return std::any_of(first, last, is_response);
  }
  std::int64_t responses() const { return std::count_if(answers_.begin(), answers_.end(), is_response); }
  /// One past the last response that is missing from `first` on, of a read up to `end`.
  Psn end_of_hole(Psn first, Psn end) const {
    for (auto place = answers_.upper_bound(first); place != answers_.end() && place->first < end; ++place)
      if (is_response(*place)) return place->first;
    return end;
  }

 private:
  static bool is_response(const std::pair<const Psn, Header>& one) {
    return one.second.kind == PacketKind::read_response;
  }

  std::multimap<Psn, Header> answers_;
};

}  // namespace morgana::rc
