#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/network/fabric/switch/input_arbiter.h"

namespace morgana::fabric {

/// Chooses at once, for all inputs and outputs of a switch, which packets leave queues at inputs: an input
/// proposes one of its packets, and an output grants one of the proposals. docs/fabric.md, "Arbitration".
class SeparableAllocator {
 public:
  /// A queue at an input whose first packet may go to its output.
  struct Request {
    InputArbiter::Candidate candidate;
    PortNumber output = 0;
    unsigned came_on = 0;  ///< virtual channel of the input
  };

  /// @param cycle  more than 0
  SeparableAllocator(InputArbitration arbitration, SimTime cycle, unsigned ports)
      : by_age_(arbitration == InputArbitration::oldest), cycle_(cycle), inputs_(ports), outputs_(ports) {}

  /// The first allocation at that time or later that has not taken place; SimTime::max() stays that.
  SimTime next(SimTime at) const {
    if (at == SimTime::max()) return at;
    if (at <= last_) at = last_ + SimTime::from_ps(1);
    const std::int64_t cycle = cycle_.ps();
    return SimTime::from_ps((at.ps() + cycle - 1) / cycle * cycle);
  }
  /// An allocation takes place now, which next() has named.
  void begin(SimTime now) { last_ = now; }
  void request(const Request& request) {
    Side& input = inputs_[request.candidate.input];
    if (!input.has_best) proposing_.push_back(request.candidate.input);
    constexpr unsigned bits = 32;
    const std::uint64_t turn = std::uint64_t{request.output - input.next} << bits;
    input.offer(request, by_age_ ? request.candidate.number
                                 : turn | std::uint32_t{request.came_on - input.next_channel});
  }
  /// Calls start(request) for each that is granted, and forgets all others.
  template <typename Start>
  void grant(Start start) {
    for (const PortNumber input : proposing_) {
      const Request& proposal = inputs_[input].best;
      Side& output = outputs_[proposal.output];
      if (!output.has_best) granting_.push_back(proposal.output);
      output.offer(proposal, by_age_ ? proposal.candidate.number : std::uint32_t{input - output.next});
      inputs_[input].has_best = false;
    }
    proposing_.clear();
    for (const PortNumber number : granting_) {
      Side& output = outputs_[number];
      const Request& granted = output.best;
      Side& input = inputs_[granted.candidate.input];
      output.has_best = false;
      output.next = granted.candidate.input + std::uint32_t{1};
      input.next = number + std::uint32_t{1};
      input.next_channel = granted.came_on + 1;
      start(granted);
    }
    granting_.clear();
  }

 private:
  /// An input that proposes, or an output that grants. Round robin, what is below `next` has the last turns:
  /// differences are those of unsigned numbers.
  struct Side {
    std::uint32_t next = 0;          ///< output or input whose turn it is
    std::uint32_t next_channel = 0;  ///< of an input: virtual channel
    bool has_best = false;
    std::uint64_t best_rank = 0;
    Request best;

    /// @param rank  the lowest one wins; all are different
    void offer(const Request& request, std::uint64_t rank) {
      if (has_best && rank > best_rank) return;
      has_best = true;
      best = request;
      best_rank = rank;
    }
  };

  bool by_age_;
  SimTime cycle_;
  SimTime last_ = SimTime::from_ps(-1);
  std::vector<Side> inputs_, outputs_;
  std::vector<PortNumber> proposing_, granting_;  // inputs, outputs
};

}  // namespace morgana::fabric
