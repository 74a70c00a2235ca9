#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "emulator/transport/sscop/pdu.h"

namespace morgana::testing {

/// Both halves of an SSCOP connection, written from ITU-T Q.2110 and docs/atm-protocols.md without regard to
/// the emulator's: numbers count on for ever and wrap only in PDUs, and every SD is kept for ever.
using Count = std::int64_t;

inline sscop::Number on_the_wire(Count count) {
  return static_cast<sscop::Number>(count % (Count{1} << 24));
}
/// The count nearest to `base` of which `number` is the lower 24 bits; 2^23 steps away is behind.
inline Count unwrapped(sscop::Number number, Count base) {
  const Count size = Count{1} << 24;
  Count steps = (Count{number} - base % size + size) % size;
  if (steps >= size / 2) steps -= size;
  return base + steps;
}

class ReferenceSscopSender {
 public:
  ReferenceSscopSender(sscop::Number first, std::uint32_t window)
      : vt_s(first), vt_a(first), vt_ms(Count{first} + window), next_of_user_(first), end_of_user_(first) {}

  struct Handed {
    Count ns;
    bool first_time;
    std::uint32_t repetitions;
  };
  void append() { ++end_of_user_; }

  std::optional<Handed> next() {
    while (!again_.empty()) {
      const Count ns = again_.front();
      again_.erase(again_.begin());
      if (ns < vt_a || acknowledged_.contains(ns)) continue;
      stamp_[ns] = vt_ps;
      ++vt_pd;
      return Handed{ns, false, ++repetitions_[ns]};
    }
    if (next_of_user_ == end_of_user_ || vt_s >= vt_ms) return std::nullopt;
    stamp_[vt_s] = vt_ps;
    ++vt_pd;
    ++next_of_user_;
    return Handed{vt_s++, true, 0};
  }

  sscop::Poll poll() {
    ++vt_ps;
    vt_pd = 0;
    return {on_the_wire(vt_ps), on_the_wire(vt_s)};
  }

  bool take(const sscop::Stat& stat) {
    const Count nps = unwrapped(stat.nps, vt_pa);
    const auto elements = checked(stat.nr, stat.list);
    if (nps < vt_pa || nps > vt_ps || !elements) return false;
    vt_pa = nps;
    for (std::size_t i = 0; i + 1 < elements->size(); ++i)
      for (Count ns = (*elements)[i]; ns < (*elements)[i + 1]; ++ns) {
        if (i % 2 == 1)
          acknowledged_.insert(ns);
        else if (stamp_.at(ns) < nps)
          ask_again(ns);
      }
    credit(stat.nr, stat.nmr);
    return true;
  }

  bool take(const sscop::Ustat& ustat) {
    const auto elements = checked(ustat.nr, {ustat.first, ustat.end});
    if (!elements) return false;
    for (Count ns = (*elements)[0]; ns < (*elements)[1]; ++ns) ask_again(ns);
    credit(ustat.nr, ustat.nmr);
    return true;
  }

  bool active() const {
    const bool asked = std::any_of(again_.begin(), again_.end(), [this](Count ns) { return ns >= vt_a; });
    return vt_a < vt_s || next_of_user_ < end_of_user_ || asked;
  }

  Count vt_s, vt_a, vt_ms, vt_ps = 0, vt_pa = 0, vt_pd = 0;

 private:
  /// The elements as counts, if they and N(R) lie between VT(A) and VT(S) and none goes back.
  std::optional<std::vector<Count>> checked(sscop::Number nr, const std::vector<sscop::Number>& list) const {
    Count least = unwrapped(nr, vt_a);
    if (least < vt_a || least > vt_s) return std::nullopt;
    std::vector<Count> counts;
    for (const sscop::Number number : list) {
      const Count count = unwrapped(number, vt_a);
      if (count < least || count > vt_s) return std::nullopt;
      counts.push_back(least = count);
    }
    return counts;
  }
  void ask_again(Count ns) {
    if (acknowledged_.contains(ns) || std::count(again_.begin(), again_.end(), ns) > 0) return;
    again_.push_back(ns);
  }
  void credit(sscop::Number nr, sscop::Number nmr) {
    vt_a = unwrapped(nr, vt_a);
    vt_ms = unwrapped(nmr, vt_a);
  }

  Count next_of_user_, end_of_user_;
  std::map<Count, Count> stamp_;
  std::map<Count, std::uint32_t> repetitions_;
  std::set<Count> acknowledged_;
  std::vector<Count> again_;
};

class ReferenceSscopReceiver {
 public:
  ReferenceSscopReceiver(sscop::Number first, std::uint32_t window, std::uint32_t longest_list)
      : vr_r(first), vr_h(first), window_(window), longest_list_(longest_list) {}

  /// @param delivered  gets the counts that are in order now
  std::optional<sscop::Ustat> take(sscop::Number number, std::vector<Count>& delivered) {
    const Count ns = unwrapped(number, vr_r);
    const Count nr = vr_r, nmr = vr_r + window_;
    const auto gap = [&](Count end) {
      const sscop::Ustat ustat{on_the_wire(vr_h), on_the_wire(end), on_the_wire(nmr), on_the_wire(nr)};
      vr_h = end;
      return ustat;
    };
    std::optional<sscop::Ustat> told;
    if (ns < vr_r || come_.contains(ns)) return told;
    if (ns >= nmr) {
      if (vr_h < nmr) told = gap(nmr);
      return told;
    }
    if (ns > vr_h) told = gap(ns);
    vr_h = std::max(vr_h, ns + 1);
    come_.insert(ns);
    while (come_.contains(vr_r)) delivered.push_back(vr_r++);
    return told;
  }

  std::vector<sscop::Stat> take(const sscop::Poll& poll) {
    const Count ns = unwrapped(poll.ns, vr_h);
    if (ns < vr_h) return {};
    vr_h = std::min(ns, vr_r + window_);
    std::vector<sscop::Number> list;
    bool missing = false;
    for (Count count = vr_r; count < vr_h; ++count) {
      if (missing == !come_.contains(count)) continue;
      missing = !missing;
      list.push_back(on_the_wire(count));
    }
    if (!list.empty()) list.push_back(on_the_wire(vr_h));
    // A missing run begins at each even place; a cut there gives each part an odd number of elements.
    std::vector<sscop::Stat> stats;
    std::size_t begin = 0;
    while (list.size() - begin > longest_list_) {
      stats.push_back(part(poll, list, begin, begin + longest_list_));
      begin += longest_list_ - 1;
    }
    stats.push_back(part(poll, list, begin, list.size()));
    return stats;
  }

  Count vr_r, vr_h;

 private:
  sscop::Stat part(const sscop::Poll& poll, const std::vector<sscop::Number>& list, std::size_t begin,
                   std::size_t end) const {
    return {
        {list.begin() + static_cast<std::ptrdiff_t>(begin), list.begin() + static_cast<std::ptrdiff_t>(end)},
        poll.nps,
        on_the_wire(vr_r + window_),
        on_the_wire(vr_r)};
  }

  Count window_;
  std::size_t longest_list_;
  std::set<Count> come_;
};

}  // namespace morgana::testing
