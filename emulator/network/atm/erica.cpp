#include "emulator/network/atm/erica.h"

#include <algorithm>

namespace morgana::atm {
namespace {

constexpr double no_overload = 1.1;  // 1 + delta

}  // namespace

Erica::Erica(const FeedbackParameters& parameters, double link)
    : utilisation_(parameters.utilisation),
      link_(link),
      interval_(parameters.interval),
      target_(utilisation_ * link),
      fair_share_(target_),
      allocated_before_(target_) {}

void Erica::offered(std::int64_t now, const CellSource& source) {
  if (source.guaranteed) {
    ++guaranteed_;
  } else {
    ++competing_;
    if (!source.returning) count_active(source);
  }
  if (guaranteed_ + competing_ >= interval_) end_interval(now);
}

void Erica::count_active(const CellSource& source) {
  std::vector<std::uint64_t>& seen = source.background ? background_ : connection_;
  if (source.number >= seen.size()) seen.resize(source.number + std::size_t{1});
  if (seen[source.number] != number_) ++active_;
  seen[source.number] = number_;
}

void Erica::end_interval(std::int64_t now) {
  const double seconds = static_cast<double>(std::max<std::int64_t>(now - began_, 1)) * 1e-12;
  target_ = std::max(0.0, utilisation_ * link_ - guaranteed_ / seconds);
  const double input = competing_ / seconds;
  // With nothing left for them, whatever competes is too much.
  load_factor_ = target_ > 0 ? input / target_ : input > 0 ? 1e9 : 0;
  fair_share_ = target_ / std::max<std::uint32_t>(active_, 1);
  allocated_before_ = allocated_;
  allocated_ = fair_share_;
  began_ = now;
  ++number_;
  guaranteed_ = competing_ = active_ = 0;
}

void Erica::forward(std::uint32_t connection, const ResourceCell& cell, std::int64_t) {
  if (connection >= current_.size()) current_.resize(connection + std::size_t{1});
  current_[connection] = decode_rate(cell.current_rate);
}

void Erica::backward(std::int64_t, std::uint32_t connection, ResourceCell& cell, std::int64_t) {
  const double current = connection < current_.size() ? current_[connection] : 0;
  const double share = load_factor_ > 0 ? current / load_factor_ : target_;
  double allowed = std::max(fair_share_, share);
  if (load_factor_ <= no_overload) allowed = std::max(allowed, allocated_before_);
  allocated_ = std::max(allocated_, std::min(allowed, target_));
  // Up to the fair share first, as far as a cell can tell it: what it tells is rounded down.
  if (allowed > fair_share_ && current < decode_rate(encode_rate(fair_share_))) allowed = fair_share_;
  cell.explicit_rate = std::min(cell.explicit_rate, encode_rate(std::min(allowed, target_)));
}

}  // namespace morgana::atm
