#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <list>
#include <map>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/rccc.h"

namespace morgana::testing {

/// A flow's credit as the header has it, from the history of what happened to the flow.
class ReferenceCreditedFlow {
 public:
  explicit ReferenceCreditedFlow(Bytes most) : most_(most.count()), credit_(most.count()) {}

  void sent(Bytes packet) { credit_ -= packet.count(); }
  void heard() {
    if (!has_heard_ && credit_ > 0) credit_ = 0;
    has_heard_ = true;
  }
  void grant(std::int64_t granted) {
    const std::int64_t more = std::max<std::int64_t>(0, granted - granted_);
    granted_ += more;
    if (more > 0) credit_ = std::min(most_, credit_ + more);
  }
  std::int64_t target(Bytes left, Bytes packet, std::int64_t flows) const {
    std::int64_t q = std::min(most_, left.count()) - credit_;
    if (!has_heard_ && left.count() > 0 && q < packet.count()) q = packet.count();
    return granted_ + std::llround(std::ceil(static_cast<double>(q) / static_cast<double>(flows)));
  }
  std::int64_t credit() const { return credit_; }

 private:
  std::int64_t most_, credit_, granted_ = 0;
  bool has_heard_ = false;
};

/// Two lines of flows.
class ReferenceCreditGiver {
 public:
  ReferenceCreditGiver(const RcccParameters& parameters, BitRate rate, Bytes payload, Bytes most)
      : p_(parameters),
        rate_(static_cast<double>(rate.bits_per_second())),
        credit_(static_cast<std::int64_t>(parameters.packets) * payload.count()),
        most_(most.count()) {}

  void ask(CreditGiver::Flow flow, std::int64_t target) {
    if (target <= targets_[flow]) return;
    targets_[flow] = target;
    remind(flow);
  }
  void remind(CreditGiver::Flow flow) {
    idle_.remove(flow);
    if (std::find(line_.begin(), line_.end(), flow) == line_.end()) line_.push_back(flow);
  }
  std::optional<CreditGiver::Credit> next() {
    const bool of_line = !line_.empty();
    if (!of_line && idle_.empty()) return std::nullopt;
    const CreditGiver::Flow flow = of_line ? line_.front() : idle_.front();
    (of_line ? line_ : idle_).pop_front();
    std::int64_t bytes = credit_;
    if (of_line) bytes = std::max<std::int64_t>(0, std::min(credit_, targets_[flow] - granted_[flow]));
    granted_[flow] += bytes;
    if (targets_[flow] > granted_[flow])
      line_.push_back(flow);
    else if (granted_[flow] - targets_[flow] < most_)
      idle_.push_back(flow);
    const auto counted = static_cast<double>(bytes == 0 ? 1'024 : bytes);
    return CreditGiver::Credit{flow, granted_[flow],
                               SimTime::from_ps(std::llround(8 * counted / (p_.pace * rate_ / 1e12)))};
  }
  void forget(CreditGiver::Flow flow) {
    line_.remove(flow);
    idle_.remove(flow);
    targets_.erase(flow);
    granted_.erase(flow);
  }

 private:
  RcccParameters p_;
  double rate_;
  std::int64_t credit_, most_;
  std::map<CreditGiver::Flow, std::int64_t> targets_, granted_;
  std::list<CreditGiver::Flow> line_, idle_;
};

}  // namespace morgana::testing
