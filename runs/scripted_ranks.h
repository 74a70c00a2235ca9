#pragma once

#include <vector>

#include "emulator/engine/operation_source.h"

namespace morgana {

/// Ranks that do what lists say: the synthetic programs of experiments.
class ScriptedRanks : public OperationSource {
 public:
  explicit ScriptedRanks(std::size_t ranks) : scripts_(ranks), position_(ranks) {}

  // Each adds to a rank's list. Messages have distinct requests; all have the same tag.
  void send(Rank from, Rank to, Bytes bytes);
  void receive(Rank at, Rank from, Bytes bytes);
  void compute(Rank rank, SimTime time);
  /// Starts a send or a receive, which is over when wait() returns.
  RequestId begin_send(Rank from, Rank to, Bytes bytes);
  RequestId begin_receive(Rank at, Rank from, Bytes bytes);
  void wait(Rank rank, RequestId request);
  /// Of all ranks. @param element  of a reduction
  void collective(Rank rank, CollectiveKind kind, Bytes bytes, Bytes element);
  /// Must come last for each rank.
  void exit(Rank rank);

  /// When all begin; else at 0.
  void start_at(SimTime start) { start_ = start; }

  std::size_t ranks() const override { return scripts_.size(); }
  SimTime starts_at(Rank) const override { return start_; }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank, const Answer&) override {}

 private:
  void add(Rank rank, Operation operation);
  RequestId start(Rank rank, Operation operation, CallPart part);
  void wait(Rank rank, RequestId request, Call call, CallPart part);

  std::vector<std::vector<Operation>> scripts_;
  std::vector<std::size_t> position_;
  std::uint64_t requests_ = 0;
  SimTime start_;
};

}  // namespace morgana
