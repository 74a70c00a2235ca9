#include "emulator/transport/congestion/rccc.h"

#include <algorithm>
#include <cmath>

namespace morgana {

void CreditedFlow::heard() {
  if (speculates_) credit_ = std::min<std::int64_t>(credit_, 0);
  speculates_ = false;
}

void CreditedFlow::grant(std::int64_t granted) {
  if (granted <= granted_) return;
  credit_ = std::min(credit_ + granted - granted_, most_);
  granted_ = granted;
}

std::int64_t CreditedFlow::target(Bytes left, Bytes packet, std::size_t flows) const {
  std::int64_t wanted = std::min(left.count(), most_) - credit_;
  if (speculates_ && left > Bytes(0)) wanted = std::max(wanted, packet.count());
  const auto sharers = static_cast<std::int64_t>(std::max<std::size_t>(flows, 1));
  return granted_ + (wanted > 0 ? (wanted + sharers - 1) / sharers : wanted / sharers);
}

CreditGiver::CreditGiver(const RcccParameters& parameters, BitRate rate, Bytes payload, Bytes most)
    : bits_per_picosecond_(parameters.pace * static_cast<double>(rate.bits_per_second()) / 1e12),
      credit_(payload.count() * parameters.packets),
      most_(most.count()) {}

void CreditGiver::wait(Flow flow) {
  Asked& asked = flows_[flow];
  if (asked.waits) return;
  if (asked.idles) std::erase(idle_, flow);
  asked.idles = false;
  asked.waits = true;
  line_.push_back(flow);
}

void CreditGiver::ask(Flow flow, std::int64_t target) {
  if (Asked& asked = flows_[flow]; target > asked.target) {
    asked.target = target;
    wait(flow);
  }
}

void CreditGiver::remind(Flow flow) {
  wait(flow);
}

std::optional<CreditGiver::Credit> CreditGiver::next() {
  const bool somebody_waits = !line_.empty();
  std::deque<Flow>& from = somebody_waits ? line_ : idle_;
  if (from.empty()) return std::nullopt;
  const Flow flow = from.front();
  from.pop_front();
  Asked& asked = flows_[flow];
  const std::int64_t given =
      somebody_waits ? std::clamp<std::int64_t>(asked.target - asked.granted, 0, credit_) : credit_;
  asked.granted += given;
  asked.waits = asked.target > asked.granted;
  asked.idles = !asked.waits && asked.granted - asked.target < most_;
  if (asked.waits) line_.push_back(flow);
  if (asked.idles) idle_.push_back(flow);
  constexpr std::int64_t least = 1'024;
  const double bits = 8 * static_cast<double>(given > 0 ? given : least);
  return Credit{flow, asked.granted, SimTime::from_ps(std::llround(bits / bits_per_picosecond_))};
}

void CreditGiver::forget(Flow flow) {
  std::erase(line_, flow);
  std::erase(idle_, flow);
  flows_.erase(flow);
}

}  // namespace morgana
