#include "emulator/network/atm/abr_source.h"

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"

namespace morgana::atm {
namespace {

constexpr double tagged_rate = 10;          // TCR, in cells a second
constexpr std::uint32_t least_between = 2;  // Mrm

}  // namespace

void AbrParameters::check() const {
  const auto share = [](double value) { return value >= 0 && value <= 1; };
  if (minimum > peak && peak > BitRate(0)) throw Error("ABR: the minimum rate can't be above the peak rate");
  if (nrm < 2 || nrm > 256) throw Error("ABR: Nrm must be from 2 to 256");
  if (trm < SimTime() || adtf < SimTime()) throw Error("ABR: Trm and ADTF can't be negative");
  if (!share(increase) || increase == 0 || !share(decrease) || !share(cutoff))
    throw Error("ABR: RIF, RDF and CDF must be from 0 to 1, and RIF above 0");
  if (missing < 1) throw Error("ABR: CRM must be at least 1");
}

AbrSource::AbrSource(const AbrParameters& parameters, double link) : parameters_(parameters) {
  parameters.check();
  const auto rate = [](BitRate given, double otherwise) {
    return given > BitRate(0) ? cells_per_second(given) : otherwise;
  };
  pcr_ = std::min(rate(parameters.peak, link), link);
  mcr_ = std::min(cells_per_second(parameters.minimum), pcr_);
  icr_ = std::clamp(rate(parameters.initial, pcr_), mcr_, pcr_);
  acr_ = icr_;
}

std::int64_t AbrSource::next() const {
  if (!sent_any_) return 0;
  return last_cell_ + static_cast<std::int64_t>(std::ceil(1e12 / std::max(acr_, tagged_rate)));
}

// Rule 3a: the first cell; then after Nrm - 1 others, or after Mrm others when Trm has passed.
bool AbrSource::forward_is_due(std::int64_t now) const {
  if (!sent_forward_ || since_forward_ + 1 >= parameters_.nrm) return true;
  return since_forward_ >= least_between && now - last_forward_ >= parameters_.trm.ps();
}

ResourceCell AbrSource::forward() const {
  ResourceCell cell;
  cell.explicit_rate = encode_rate(pcr_);
  cell.current_rate = encode_rate(acr_);
  cell.minimum_rate = encode_rate(mcr_);
  return cell;
}

std::optional<ResourceCell> AbrSource::send(std::int64_t now) {
  const bool out_of_rate = acr_ < tagged_rate;  // rule 11
  const bool due = forward_is_due(now);
  if (due && !out_of_rate) {
    if (sent_forward_ && acr_ > icr_ && now - last_forward_ > parameters_.adtf.ps()) acr_ = icr_;  // rule 5
    if (unanswered_ >= parameters_.missing)
      acr_ = std::max(mcr_, acr_ - acr_ * parameters_.cutoff);  // rule 6
  }
  last_cell_ = now;
  sent_any_ = true;
  if (!due && !out_of_rate) {
    ++since_forward_;
    return std::nullopt;
  }
  if (!out_of_rate) {
    sent_forward_ = true;
    last_forward_ = now;
    since_forward_ = 0;
    ++unanswered_;
  }
  return forward();
}

// Rules 8 and 9.
void AbrSource::take(const ResourceCell& backward) {
  unanswered_ = 0;
  if (backward.congestion)
    acr_ = std::max(mcr_, acr_ - acr_ * parameters_.decrease);
  else if (!backward.no_increase)
    acr_ = std::min(pcr_, acr_ + pcr_ * parameters_.increase);
  acr_ = std::min(acr_, std::max(decode_rate(backward.explicit_rate), mcr_));
}

}  // namespace morgana::atm
