#pragma once

#include <map>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/operations/operation.h"

namespace morgana::testing {

/// An operation with what an observer is told at its end.
struct Ended {
  Operation operation;
  SimTime begin, end;
  std::vector<Completed> completed;
};

/// One rank's operations: random, but such as a program can make them, with every kind of call and many ways
/// in which they end. Ranks are generated apart: what they send and receive need not fit together.
class RandomProgram {
 public:
  RandomProgram(std::uint64_t seed, Rank rank, std::int32_t ranks);

  /// Adds `calls` random calls and an exit.
  std::vector<Ended> run(std::size_t calls);
  /// Contexts that it announces, by number, with their members.
  const std::map<Context, std::vector<Rank>>& contexts() const { return contexts_; }

 private:
  struct Pending {
    RequestId request;
    OperationKind kind;
    Operation start;
  };

  void random_call();
  void blocking_call();
  void nonblocking_call();
  void completing_call(bool tests);
  void probing_call();
  void collective_call();
  void several_starts();
  void one_sided_call();
  void time_call();
  void communicator_call();
  void cancelling_call();

  Operation& add(OperationKind kind, Call call, CallPart part);
  void lasts(SimTime time) { clock_ = operations_.back().end = operations_.back().begin + time; }
  Operation message(OperationKind kind, Call call, CallPart part);
  void add_message(const Operation& message);
  CollectivePart part(CollectiveKind kind, std::int32_t members);
  Completed completion(const Pending& pending, bool cancelled = false);
  void wait_for_all(Call call, CallPart part, const std::vector<Pending>& started);
  Pending take_pending(std::size_t i);

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool chance(double p) { return random_.chance(p); }
  SimTime short_time() { return SimTime::from_ps(static_cast<std::int64_t>(below(1'000'000))); }
  Rank any_member(const std::vector<Rank>& members) { return members[below(members.size())]; }
  std::pair<Context, std::vector<Rank>> any_context();
  RequestId new_request() { return RequestId(++requests_); }

  RandomStream random_;
  Rank rank_;
  std::int32_t ranks_;
  SimTime clock_;
  std::uint64_t requests_ = 0;
  std::vector<Pending> pending_;
  std::map<Context, std::vector<Rank>> contexts_;
  std::vector<Ended> operations_;
};

}  // namespace morgana::testing
