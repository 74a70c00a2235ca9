#include "emulator/network/atm/eprca.h"

#include <algorithm>

namespace morgana::atm {
namespace {

constexpr double averaging = 1.0 / 16;            // AV
constexpr double followed_from = 7.0 / 8;         // VCS, of MACR
constexpr double lowered_from = 7.0 / 8;          // DPF, of MACR
constexpr double explicit_reduction = 15.0 / 16;  // ERF, of MACR
constexpr double major_reduction = 1.0 / 4;       // MRF, of MACR
constexpr double initial = 1.0 / 100;             // IMR, of the link

}  // namespace

Eprca::Eprca(const FeedbackParameters& parameters, double link)
    : congested_(parameters.congested), very_congested_(parameters.very_congested), mean_(initial * link) {}

void Eprca::forward(std::uint32_t, const ResourceCell& cell, std::int64_t queue) {
  const double current = decode_rate(cell.current_rate);
  const bool follows = queue >= congested_ ? current < mean_ : current > followed_from * mean_;
  if (follows) mean_ += (current - mean_) * averaging;
}

void Eprca::backward(std::int64_t, std::uint32_t, ResourceCell& cell, std::int64_t queue) {
  const double current = decode_rate(cell.current_rate);
  if (queue >= very_congested_)
    cell.explicit_rate = std::min(cell.explicit_rate, encode_rate(major_reduction * mean_));
  else if (queue >= congested_ && current > lowered_from * mean_)
    cell.explicit_rate = std::min(cell.explicit_rate, encode_rate(explicit_reduction * mean_));
}

}  // namespace morgana::atm
