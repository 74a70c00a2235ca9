#pragma once

#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/operation_source.h"

namespace morgana::testing {

/// Ranks in a ring that send packed messages of random sizes as PVM does, and unpack what they get part by
/// part, as far as it is still coming; now and then one is freed before.
class StreamingProgram : public OperationSource {
 public:
  StreamingProgram(std::uint64_t seed, std::size_t ranks, int rounds);

  std::size_t ranks() const override { return ranks_.size(); }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  /// Parts that were waited for, by all ranks.
  std::uint64_t parts() const { return parts_; }

 private:
  enum class Step { send, sent, receive, wait, part };
  struct State {
    RandomStream random;
    int rounds;
    Step step = Step::send;
    std::uint64_t requests = 0;
    Completed message;
    Bytes unpacked;
  };
  void prepare_send(std::size_t rank, Operation& operation);
  void prepare_part(State& state, Operation& operation);

  std::vector<State> ranks_;
  std::uint64_t parts_ = 0;
};

}  // namespace morgana::testing
