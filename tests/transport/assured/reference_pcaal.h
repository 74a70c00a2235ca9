#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "emulator/transport/pcaal/pdu.h"

namespace morgana::testing::pcaal_reference {

/// Both halves of a PC-AAL connection, written from the thesis (sections 5.1 and 5.2) and
/// docs/atm-protocols.md without regard to the emulator's: numbers count on for ever and wrap only in cells,
/// and every SD is kept for ever.
using Count = std::int64_t;

inline pcaal::Number on_the_wire(Count count) {
  return static_cast<pcaal::Number>(count % (Count{1} << 32));
}
/// The count nearest to `base` of which `number` is the lower 32 bits; 2^31 steps away is behind.
inline Count unwrapped(pcaal::Number number, Count base) {
  const Count size = Count{1} << 32;
  Count steps = (Count{number} - base % size + size) % size;
  if (steps >= size / 2) steps -= size;
  return base + steps;
}

class Sender {
 public:
  Sender(pcaal::Number first, std::uint32_t window)
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
      return Handed{ns, false, ++repetitions_[ns]};
    }
    if (next_of_user_ == end_of_user_ || vt_s >= vt_ms) return std::nullopt;
    stamp_[vt_s] = vt_ps;
    ++next_of_user_;
    return Handed{vt_s++, true, 0};
  }

  pcaal::Poll poll() {
    ++vt_ps;
    return {on_the_wire(vt_ps), on_the_wire(vt_s)};
  }

  bool take(const pcaal::Stat& stat) {
    const Count nps = unwrapped(stat.nps, vt_pa);
    const auto elements = checked(stat.nr, stat.list);
    if (nps < vt_pa || nps > vt_ps || !elements) return false;
    vt_pa = nps;
    const Count laf = unwrapped(stat.laf, vt_a);
    if (!elements->empty() && laf >= unwrapped(stat.nr, vt_a) && laf <= elements->front())
      for (Count ns = laf; ns < elements->front(); ++ns) acknowledged_.insert(ns);
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

  bool take(const pcaal::Ustat& ustat) {
    const auto elements = checked(ustat.nr, {ustat.first, ustat.end});
    if (!elements) return false;
    for (Count ns = (*elements)[0]; ns < (*elements)[1]; ++ns) ask_again(ns);
    credit(ustat.nr, ustat.nmr);
    return true;
  }

  bool active() const { return vt_a < vt_s || next_of_user_ < end_of_user_; }

  Count vt_s, vt_a, vt_ms, vt_ps = 0, vt_pa = 0;

 protected:
  std::map<Count, Count> stamp_;
  std::set<Count> acknowledged_;

 private:
  /// The elements as counts, if they and N(R) lie between VT(A) and VT(S) and none goes back.
  std::optional<std::vector<Count>> checked(pcaal::Number nr, const std::vector<pcaal::Number>& list) const {
    Count least = unwrapped(nr, vt_a);
    if (least < vt_a || least > vt_s) return std::nullopt;
    std::vector<Count> counts;
    for (const pcaal::Number number : list) {
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
  void credit(pcaal::Number nr, pcaal::Number nmr) {
    vt_a = unwrapped(nr, vt_a);
    vt_ms = unwrapped(nmr, vt_a);
  }

  Count next_of_user_, end_of_user_;
  std::map<Count, std::uint32_t> repetitions_;
  std::vector<Count> again_;
};

class Receiver {
 public:
  Receiver(pcaal::Number first, std::uint32_t window) : in_order(first), vr_r(first), window_(window) {}

  /// @param delivered  gets the counts that are in order now
  std::optional<pcaal::Ustat> take(pcaal::Number number, std::vector<Count>& delivered) {
    const Count ns = unwrapped(number, in_order);
    if (ns < in_order || come_.contains(ns) || ns >= in_order + window_) return std::nullopt;
    std::optional<pcaal::Ustat> told;
    if (ns > vr_r)
      told = pcaal::Ustat{on_the_wire(vr_r), on_the_wire(ns), on_the_wire(in_order + window_),
                          on_the_wire(in_order)};
    vr_r = std::max(vr_r, ns + 1);
    come_.insert(ns);
    while (come_.contains(in_order)) delivered.push_back(in_order++);
    return told;
  }

  std::vector<pcaal::Stat> take(const pcaal::Poll& poll) {
    const Count ns = unwrapped(poll.ns, vr_r);
    if (ns < vr_r) return {};
    vr_r = std::min(ns, in_order + window_);
    // Three pairs a cell; the list's last cell may hold one element more, without partner.
    return status(poll.nps, vr_r, 7);
  }

  Count in_order, vr_r;

 protected:
  /// What has come of the numbers before `end`, in cells of three pairs, of which the last has `most`
  /// elements at most.
  std::vector<pcaal::Stat> status(pcaal::Number nps, Count end, std::size_t most) const {
    std::vector<pcaal::Number> list;
    bool missing = false;
    for (Count count = in_order; count < end; ++count) {
      if (missing == !come_.contains(count)) continue;
      missing = !missing;
      list.push_back(on_the_wire(count));
    }
    if (!list.empty()) list.push_back(on_the_wire(end));
    std::vector<pcaal::Stat> cells;
    pcaal::Number laf = on_the_wire(in_order - 1 + (Count{1} << 32));
    while (list.size() > most) {
      cells.push_back(cell(nps, {list.begin(), list.begin() + 6}, laf));
      laf = list[5];
      list.erase(list.begin(), list.begin() + 6);
    }
    cells.push_back(cell(nps, list, laf));
    return cells;
  }

  Count window_;

 private:
  pcaal::Stat cell(pcaal::Number nps, const std::vector<pcaal::Number>& list, pcaal::Number laf) const {
    return {list, nps, on_the_wire(in_order + window_), on_the_wire(in_order), laf};
  }

  std::set<Count> come_;
};

}  // namespace morgana::testing::pcaal_reference
