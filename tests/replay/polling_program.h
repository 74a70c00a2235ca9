#pragma once

#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/operation_source.h"

namespace morgana::testing {

/// A random parallel program that runs to its end on any platform: rounds of rings, farms with wildcards,
/// collectives on the world and on halves of it, nonblocking ones beside messages, probes, one-sided
/// accesses, polls and waits for any; what a rank does next depends on the answers that it gets, as in a real
/// program.
class PollingProgram : public OperationSource {
 public:
  PollingProgram(std::uint64_t seed, std::size_t ranks, std::size_t rounds);

  std::size_t ranks() const override { return scripts_.size(); }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;

 private:
  struct Step {
    enum class Kind { once, until_all_done, until_found } kind = Kind::once;
    Operation operation;
  };
  struct Script {
    std::vector<Step> steps;
    std::size_t at = 0;
  };

  void ring();
  void barrier();
  void farm();
  void collective(bool halves);
  void overlapped();
  void probes();
  void accesses();
  void split();
  void exit();
  Operation& add(std::size_t rank, OperationKind kind, Call call, CallPart part,
                 Step::Kind repetition = Step::Kind::once);
  Operation& add_message(std::size_t rank, OperationKind kind, Call call, CallPart part, std::size_t peer,
                         RequestId request, Bytes bytes);
  void finish(std::size_t rank, const std::vector<RequestId>& requests, bool may_poll);
  Bytes size() {
    return Bytes(static_cast<std::int64_t>(random_.below(std::uint64_t{1} << random_.below(12))));
  }

  static constexpr std::uint64_t most_operations = 2'000'000;
  std::uint64_t operations_ = 0;
  RandomStream random_;
  Tag tag_{};  // of this round
  std::vector<Script> scripts_;
};

}  // namespace morgana::testing
