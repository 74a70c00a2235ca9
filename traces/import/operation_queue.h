#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <utility>

#include "emulator/operations/operation.h"

namespace morgana {

/// The capacity of a receive where it is not known.
constexpr Bytes any_room{std::int64_t{1} << 40};

/// The operations of one rank of an imported trace, in program order: a reader adds what a record means, and
/// the run takes it. Requests are numbered from 1.
class OperationQueue {
 public:
  bool empty() const { return ready_.empty(); }
  /// The next operation; there must be one.
  Operation take() {
    Operation operation = std::move(ready_.front());
    ready_.pop_front();
    return operation;
  }

  /// The rank computes before its next operation. @param time  >= 0
  void compute(SimTime time) { computed_ += time; }
  SimTime computed() const { return computed_; }
  /// Adds an operation, with what was computed before it.
  void add(Operation operation);
  /// The same for a send, a receive or a collective, which gets a request.
  RequestId start(Operation operation);
  /// Waits for all of the requests; adds nothing if there are none.
  void wait(Call call, CallPart part, std::span<const RequestId> requests);
  void exit();

 private:
  std::deque<Operation> ready_;
  SimTime computed_;
  std::uint64_t requests_ = 0;
};

}  // namespace morgana
