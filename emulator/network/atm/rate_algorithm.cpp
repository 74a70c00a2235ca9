#include "emulator/network/atm/rate_algorithm.h"

#include "emulator/core/error.h"
#include "emulator/network/atm/capc.h"
#include "emulator/network/atm/eprca.h"
#include "emulator/network/atm/erica.h"

namespace morgana::atm {
namespace {

/// Explicit forward congestion indication alone: marks, and leaves what comes back as it is.
class ForwardIndication final : public RateAlgorithm {
 public:
  explicit ForwardIndication(std::int64_t congested) : congested_(congested) {}
  void backward(std::int64_t, std::uint32_t, ResourceCell&, std::int64_t) override {}
  bool marks(std::int64_t queue) const override { return queue >= congested_; }

 private:
  std::int64_t congested_;
};

}  // namespace

void FeedbackParameters::check() const {
  if (!(utilisation > 0 && utilisation <= 1))
    throw Error("ABR: the utilisation that switches aim at must be above 0 and at most 1");
  if (interval < 1) throw Error("ABR: an interval must have at least one cell");
  if (averaging_time <= SimTime()) throw Error("ABR: the averaging time must be longer than no time");
  if (congested < 1 || very_congested < congested)
    throw Error("ABR: a queue must be congested from one cell on, and very congested not before");
}

std::unique_ptr<RateAlgorithm> make_rate_algorithm(const FeedbackParameters& parameters, double link) {
  switch (parameters.algorithm) {
    case AbrFeedback::none:
      break;
    case AbrFeedback::efci:
      return std::make_unique<ForwardIndication>(parameters.congested);
    case AbrFeedback::erica:
      return std::make_unique<Erica>(parameters, link);
    case AbrFeedback::eprca:
      return std::make_unique<Eprca>(parameters, link);
    case AbrFeedback::capc:
      return std::make_unique<Capc>(parameters, link);
  }
  return nullptr;
}

}  // namespace morgana::atm
