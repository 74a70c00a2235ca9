#include "emulator/network/atm/capc.h"

#include <algorithm>

namespace morgana::atm {
namespace {

constexpr double up = 0.1, most_up = 1.5;      // Rup, ERU
constexpr double down = 0.8, most_down = 0.5;  // Rdn, ERF

}  // namespace

Capc::Capc(const FeedbackParameters& parameters, double link)
    : utilisation_(parameters.utilisation),
      link_(link),
      interval_(parameters.interval),
      congested_(parameters.congested),
      share_(utilisation_ * link) {}

void Capc::offered(std::int64_t now, const CellSource& source) {
  ++(source.guaranteed ? guaranteed_ : competing_);
  if (guaranteed_ + competing_ >= interval_) end_interval(now);
}

void Capc::end_interval(std::int64_t now) {
  const double seconds = static_cast<double>(std::max<std::int64_t>(now - began_, 1)) * 1e-12;
  const double target = utilisation_ * link_ - guaranteed_ / seconds;
  const double load_factor = target > 0 ? competing_ / seconds / target : 1e9;
  share_ *= load_factor < 1 ? std::min(most_up, 1 + (1 - load_factor) * up)
                            : std::max(most_down, 1 - (load_factor - 1) * down);
  share_ = std::clamp(share_, 1.0, link_);
  began_ = now;
  guaranteed_ = competing_ = 0;
}

void Capc::backward(std::uint32_t, ResourceCell& cell, std::int64_t queue) {
  cell.explicit_rate = std::min(cell.explicit_rate, encode_rate(share_));
  if (queue >= congested_) cell.congestion = true;
}

}  // namespace morgana::atm
