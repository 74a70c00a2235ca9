#include "emulator/network/atm/capc.h"

#include <algorithm>

namespace morgana::atm {
namespace {

constexpr double up = 0.1, most_up = 1.5;      // Rup, ERU
constexpr double down = 0.8, most_down = 0.5;  // Rdn, ERF
constexpr double overloaded = 1e9;             // the load factor where nothing is left for what competes

}  // namespace

Capc::Capc(const FeedbackParameters& parameters, double link)
    : target_(parameters.utilisation * link),
      link_(link),
      seconds_(parameters.averaging_time.seconds()),
      length_(parameters.averaging_time.ps()),
      congested_(parameters.congested),
      ends_(length_),
      share_(target_) {}

void Capc::offered(std::int64_t now, const CellSource& source) {
  end_intervals(now);
  ++(source.guaranteed ? guaranteed_ : competing_);
}

/// By what the share is multiplied after this interval.
double Capc::change() const {
  const double left = target_ - guaranteed_ / seconds_;
  const double load_factor = left > 0 ? competing_ / seconds_ / left : competing_ > 0 ? overloaded : 1;
  return load_factor < 1 ? std::min(most_up, 1 + (1 - load_factor) * up)
                         : std::max(most_down, 1 - (load_factor - 1) * down);
}

// A cell that comes when an interval ends belongs to the next one.
void Capc::end_intervals(std::int64_t now) {
  if (now < ends_) return;
  share_ = std::clamp(share_ * change(), 1.0, link_);
  guaranteed_ = competing_ = 0;
  const std::int64_t empty = (now - ends_) / length_;
  // In these nothing came; the rate stops rising when it is the link's.
  const double rise = change();
  for (std::int64_t interval = 0; interval < empty && share_ < link_; ++interval)
    share_ = std::min(share_ * rise, link_);
  ends_ += (empty + 1) * length_;
}

void Capc::backward(std::int64_t now, std::uint32_t, ResourceCell& cell, std::int64_t queue) {
  end_intervals(now);
  cell.explicit_rate = std::min(cell.explicit_rate, encode_rate(share_));
  if (queue >= congested_) cell.congestion = true;
}

}  // namespace morgana::atm
