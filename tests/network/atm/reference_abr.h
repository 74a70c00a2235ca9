#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "emulator/network/atm/abr_source.h"
#include "emulator/network/atm/rate_algorithm.h"

namespace morgana::testing {

/// The 16 bits of a rate, by looking for the largest one that is not above it.
inline double told_rate(double rate) {
  double best = 0;
  for (int exponent = 0; exponent < 32; ++exponent) {
    const double whole = std::ldexp(1.0, exponent);
    if (whole > rate) break;
    const double mantissa = std::min(511.0, std::floor((rate / whole - 1) * 512));
    best = std::max(best, whole * (1 + mantissa / 512));
  }
  return best;
}

/// A resource management cell with rates in cells a second.
struct PlainResourceCell {
  bool backward = false, congestion = false;
  double explicit_rate = 0, current_rate = 0;
};

/// The source's rules one after the other, as the ATM Forum's specification 4.0 has them in 5.10.4. Rates in
/// cells a second, times in picoseconds.
struct PlainSource {
  atm::AbrParameters told;
  double pcr, mcr, icr, acr;
  bool sent = false, sent_resource = false;
  std::int64_t last = 0, last_resource = 0;
  std::uint64_t data_since = 0, unanswered = 0;

  PlainSource(const atm::AbrParameters& parameters, double link) : told(parameters) {
    const auto cells = [](BitRate rate) { return static_cast<double>(rate.bits_per_second()) / 424; };
    pcr = told.peak == BitRate(0) ? link : std::min(link, cells(told.peak));
    mcr = std::min(pcr, cells(told.minimum));
    icr = told.initial == BitRate(0) ? pcr : std::max(mcr, std::min(pcr, cells(told.initial)));
    acr = icr;
  }
  std::int64_t next() const {
    if (!sent) return 0;
    const double rate = acr < 10 ? 10 : acr;
    return last + static_cast<std::int64_t>(std::ceil(1e12 / rate));
  }
  /// @return whether this cell is one of resource management, which is then in `cell`
  bool send(std::int64_t now, PlainResourceCell& cell) {
    const bool silent = acr < 10;  // rule 11: only such cells go, out of rate
    bool resource = !sent_resource;
    if (data_since == told.nrm - 1) resource = true;
    if (data_since >= 2 && now - last_resource >= told.trm.ps()) resource = true;
    if (silent) resource = true;
    last = now;
    sent = true;
    if (!resource) {
      ++data_since;
      return false;
    }
    if (!silent) {
      if (sent_resource && now - last_resource > told.adtf.ps() && acr > icr) acr = icr;
      if (unanswered >= told.missing) acr = std::max(mcr, acr - acr * told.cutoff);
      sent_resource = true;
      last_resource = now;
      data_since = 0;
      ++unanswered;
    }
    cell = {false, false, told_rate(pcr), told_rate(acr)};
    return true;
  }
  void take(const PlainResourceCell& cell) {
    unanswered = 0;
    acr =
        cell.congestion ? std::max(mcr, acr - acr * told.decrease) : std::min(pcr, acr + pcr * told.increase);
    acr = std::min(acr, std::max(mcr, cell.explicit_rate));
  }
};

/// ERICA at an output, every cell kept until its interval ends.
struct PlainErica {
  /// Category, host and host of a connection; -1, 0 and the number of a background source.
  using Whose = std::array<int, 3>;
  struct Offered {
    bool guaranteed;
    bool active;  // a source wants to send it
    Whose whose;
  };
  double utilisation, link;
  std::size_t interval;
  std::int64_t began = 0;
  std::vector<Offered> cells = {};
  std::map<Whose, double> told = {};  // the rates in the last forward cells
  double target, fair, load = 1, most_before, most_now = 0;

  PlainErica(const atm::FeedbackParameters& parameters, double rate)
      : utilisation(parameters.utilisation),
        link(rate),
        interval(parameters.interval),
        target(utilisation * link),
        fair(target),
        most_before(target) {}

  void offered(std::int64_t now, const Offered& cell) {
    cells.push_back(cell);
    if (cells.size() < interval) return;
    const double seconds = static_cast<double>(std::max<std::int64_t>(1, now - began)) * 1e-12;
    double reserved = 0, competing = 0;
    std::set<Whose> active;
    for (const Offered& one : cells) {
      (one.guaranteed ? reserved : competing) += 1;
      if (!one.guaranteed && one.active) active.insert(one.whose);
    }
    target = std::max(0.0, utilisation * link - reserved / seconds);
    load = target > 0 ? competing / seconds / target : competing > 0 ? 1e9 : 0;
    fair = target / std::max<double>(1, static_cast<double>(active.size()));
    most_before = most_now;
    most_now = fair;
    began = now;
    cells.clear();
  }
  void backward(Whose connection, PlainResourceCell& cell) {
    const double current = told[connection];
    const double share = load > 0 ? current / load : target;
    double allowed = std::max(fair, share);
    if (load <= 1.1) allowed = std::max(allowed, most_before);
    most_now = std::max(most_now, std::min(allowed, target));
    if (current < told_rate(fair) && allowed > fair) allowed = fair;
    cell.explicit_rate = std::min(cell.explicit_rate, told_rate(std::min(allowed, target)));
  }
};

}  // namespace morgana::testing
