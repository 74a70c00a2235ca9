#pragma once

#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"

namespace morgana {

/// Ranks' operations from lists; optionally as a live program gives them: unknown for a while, with a bound
/// that creeps up.
class ScriptedSource : public OperationSource {
 public:
  explicit ScriptedSource(std::vector<std::vector<Operation>> scripts)
      : scripts_(std::move(scripts)),
        position_(scripts_.size()),
        held_(scripts_.size()),
        answers(scripts_.size()) {}

  /// From now on, next() says "not known yet" at random, and computed() admits part of the truth.
  void hesitate(std::uint64_t seed) { hesitation_.emplace(seed, "hesitation"); }

  std::size_t ranks() const override { return scripts_.size(); }

  bool next(Rank rank, Operation& operation) override {
    if (hesitation_ && held_[index(rank)]-- > 0) return false;
    if (hesitation_) held_[index(rank)] = static_cast<int>(hesitation_->below(4));
    operation = scripts_[index(rank)].at(position_[index(rank)]++);
    return true;
  }

  std::optional<SimTime> computed(Rank rank) override {
    const Operation& coming = scripts_[index(rank)].at(position_[index(rank)]);
    if (held_[index(rank)] <= 0) return std::nullopt;
    return SimTime::from_ps(coming.elapsed.ps() / (1 + static_cast<std::int64_t>(hesitation_->below(3))));
  }

  void wait(std::span<const AwaitedRank> awaited) override {
    for (const AwaitedRank& awaited_rank : awaited) --held_[index(awaited_rank.rank)];
  }

  void answer(Rank rank, const Answer& answer) override { answers[index(rank)].push_back(answer); }
  void dropped(std::uint64_t payload) override { dropped_payloads.push_back(payload); }

 private:
  std::vector<std::vector<Operation>> scripts_;
  std::vector<std::size_t> position_;
  std::vector<int> held_;
  std::optional<RandomStream> hesitation_;

 public:
  std::vector<std::vector<Answer>> answers;
  std::vector<std::uint64_t> dropped_payloads;
};

namespace script {

inline Operation send(int to, std::int64_t bytes, int tag, std::uint64_t request,
                      SendMode mode = SendMode::standard) {
  Operation o;
  o.kind = OperationKind::send;
  o.call = Call::MPI_Isend;
  o.peer = Rank{to};
  o.bytes = Bytes(bytes);
  o.tag = Tag{tag};
  o.request = RequestId{request};
  o.mode = mode;
  o.payload = static_cast<std::uint64_t>(tag) + 1000;
  return o;
}

inline Operation receive(int from, std::int64_t bytes, int tag, std::uint64_t request) {
  Operation o;
  o.kind = OperationKind::receive;
  o.call = Call::MPI_Irecv;
  o.peer = Rank{from};
  o.bytes = Bytes(bytes);
  o.tag = Tag{tag};
  o.request = RequestId{request};
  return o;
}

inline Operation wait(std::initializer_list<std::uint64_t> requests, Completion completion = Completion::all,
                      OperationKind kind = OperationKind::wait) {
  Operation o;
  o.kind = kind;
  o.call = kind == OperationKind::wait ? Call::MPI_Waitall : Call::MPI_Testall;
  o.completion = completion;
  o.wants_answer = true;
  for (const std::uint64_t request : requests) o.requests.push_back(RequestId{request});
  return o;
}

inline Operation collective(CollectiveKind kind, std::int64_t bytes, std::uint64_t request, int root = 0) {
  Operation o;
  o.kind = OperationKind::collective;
  o.call = Call::MPI_Bcast;
  o.collective.kind = kind;
  o.collective.bytes = Bytes(bytes);
  o.collective.root = root;
  o.request = RequestId{request};
  return o;
}

inline Operation plain(OperationKind kind) {
  Operation o;
  o.kind = kind;
  o.wants_answer = kind == OperationKind::read_clock;
  return o;
}

inline Operation after(SimTime elapsed, Operation o) {
  o.elapsed = elapsed;
  return o;
}

inline Operation exit() {
  return plain(OperationKind::exit);
}

}  // namespace script
}  // namespace morgana
