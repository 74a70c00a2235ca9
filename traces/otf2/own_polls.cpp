#include "traces/otf2/own_polls.h"

#include <algorithm>
#include <utility>

namespace morgana {

OwnPolls::Before OwnPolls::before(const TraceRecord& record, const TraceExtras& extras) {
  using Kind = TraceRecord::Kind;
  Before before;
  before.begin = std::exchange(last_, record.time);
  const SimTime since = record.time - before.begin;
  if (depth_ == 0) before.time = std::clamp(SimTime::from_ps(extras[Attribute::polled]), SimTime(), since);
  if (before.time > SimTime()) {
    before.region = polls_by_ == no_region ? region_ : polls_by_;
    if (poll_takes_ > SimTime())
      before.count = static_cast<std::uint64_t>(before.time.ps() / poll_takes_.ps());
  }
  switch (record.kind) {
    case Kind::enter:
      if (depth_++ > 0) break;
      region_ = record.region;
      entered_ = record.time;
      finds_nothing_ = false;
      break;
    case Kind::leave:
      if (depth_ == 0 || --depth_ > 0 || !finds_nothing_) break;
      polls_by_ = region_;
      poll_takes_ = record.time - entered_;
      break;
    case Kind::request_test:
      finds_nothing_ = true;
      break;
    case Kind::operation:
      if (record.operation == OperationKind::test || record.operation == OperationKind::test_probe)
        finds_nothing_ = true;
      break;
    default:
      break;
  }
  return before;
}

}  // namespace morgana
