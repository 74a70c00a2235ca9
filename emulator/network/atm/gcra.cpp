#include "emulator/network/atm/gcra.h"

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"

namespace morgana::atm {
namespace {

std::int64_t time_of_cell(double rate) {
  return static_cast<std::int64_t>(std::ceil(1e12 / rate));
}

}  // namespace

void RateContract::check() const {
  if (!(peak >= 1)) throw Error("ATM: a contract's peak rate must be at least a cell a second");
  if (sustainable != 0 && (!(sustainable >= 1) || sustainable > peak))
    throw Error("ATM: a contract's sustainable rate must be from a cell a second to the peak rate");
  if (burst < 1) throw Error("ATM: a contract's burst must be of at least one cell");
  if (tolerance < SimTime()) throw Error("ATM: a contract's tolerance can't be negative");
}

RateConformance::RateConformance(const RateContract& contract) : peak_(1, 0) {
  contract.check();
  const std::int64_t at_peak = time_of_cell(contract.peak);
  peak_ = Gcra(at_peak, contract.tolerance.ps());
  if (contract.sustainable == 0) return;
  const std::int64_t sustained = time_of_cell(contract.sustainable);
  sustainable_ = Gcra(sustained, (contract.burst - 1) * (sustained - at_peak));
}

std::int64_t RateConformance::next() const {
  return sustainable_ ? std::max(peak_.next(), sustainable_->next()) : peak_.next();
}

void RateConformance::take(std::int64_t at) {
  peak_.take(at);
  if (sustainable_) sustainable_->take(at);
}

}  // namespace morgana::atm
