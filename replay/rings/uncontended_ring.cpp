#include "replay/rings/uncontended_ring.h"

#include <algorithm>
#include <cassert>
#include <vector>

#include "emulator/collectives/nccl/nccl_ring.h"
#include "emulator/core/end_of_time.h"
#include "emulator/messaging/library_costs.h"
#include "replay/port_messages.h"
#include "replay/rings/primitive_costs.h"

namespace morgana {
namespace {

using nccl::RingLane;

/// Thrown where a message of a size can contend after all.
struct MayContend {};

/// One worker after the other of all ranks, from step to step.
class RingClock {
 public:
  RingClock(const nccl::Plan& plan, const nccl::Parameters& parameters, Machine& machine)
      : plan_(plan),
        machine_(machine),
        network_(*machine.network->extensions().ports),
        costs_of_messages_(machine),
        costs_(plan, parameters) {}

  /// @throws MayContend @throws TimePastEnd
  SimTime end_of_all() {
    end_ = costs_.start();
    std::vector<std::int64_t> known;  // shares of lanes
    for (int lane = 0; lane < nccl::lanes_of(plan_); ++lane) {
      const std::int64_t share = nccl::share_of_lane(plan_, lane).bytes;
      // Without a root lanes differ in nothing else: a lane's hops between nodes stand at the same places.
      if (!has_root(plan_.collective)) {
        if (std::ranges::find(known, share) != known.end()) continue;
        known.push_back(share);
      }
      const RingLane ring(plan_, lane);
      for (int slice = 0; slice < nccl::slices_of(plan_); ++slice) go_around(ring, slice);
    }
    return end_;
  }

 private:
  /// A worker of one rank: what is done of its steps. The time of a message is when it is there.
  struct Worker {
    SimTime begun, worked, received, sent;
    SimTime out_free, in_free;      ///< its port
    SimTime message, next_message;  ///< that has come for this step, for the next one
    SimTime hop;                    ///< to the next place
  };
  /// What goes for all steps with as many bytes.
  struct OfSize {
    std::int64_t bytes = -1;
    SimTime send, receive;    ///< of the library
    SimTime passing, adding;  ///< of the worker
    PortTimes port{};
  };

  static bool has_root(MeasuredCollective collective) {
    return collective == MeasuredCollective::broadcast || collective == MeasuredCollective::reduce;
  }

  void go_around(const RingLane& ring, int slice) {
    const int n = plan_.layout.ranks;
    workers_.assign(static_cast<std::size_t>(n), {});
    for (int place = 0; place < n; ++place) {
      Worker& worker = workers_[static_cast<std::size_t>(place)];
      worker.worked = costs_.start();
      worker.hop = costs_.hop(ring.rank_at(place), ring.rank_at(place + 1));
    }
    // Where a round has one step its messages pass all ranks within it, from the one that waits for none on.
    const bool within_step = ring.steps() == 1;
    int first = 0;
    while (within_step && ring.receives(first, 0)) ++first;
    for (std::int64_t round = 0; round < ring.rounds(); ++round)
      for (int number = 0; number < ring.steps(); ++number) {
        for (int i = 0; i < n; ++i) {
          const int place = i < n - first ? first + i : first + i - n;
          const RingLane::Step step = ring.step(place, round, number);
          if (!ring.has_slice(step.piece, slice)) continue;
          Worker& worker = workers_[static_cast<std::size_t>(place)];
          Worker& next = workers_[static_cast<std::size_t>(place + 1 < n ? place + 1 : 0)];
          take(step, of_size(ring.slice_of(step.piece, slice).bytes), worker, next);
          if (within_step) next.message = next.next_message;
        }
        if (!within_step)
          for (Worker& worker : workers_) worker.message = worker.next_message;
      }
  }

  /// A receive is posted when the step before it begins. The library completes one receive after the other,
  /// and begins one send after the other.
  void take(const RingLane::Step& step, const OfSize& size, Worker& worker, Worker& next) {
    SimTime ready = worker.begun;
    if (step.receives) {
      const SimTime matched = std::max(worker.message, worker.begun);
      ready = worker.received = time_before_end(std::max(worker.received, matched) + size.receive);
    }
    worker.begun = std::max(ready, worker.worked);
    SimTime work = worker.begun;
    if (step.sends) work += size.passing + worker.hop;
    if (step.receives && step.own) work += size.adding;
    worker.worked = time_before_end(work);
    if (step.sends) send(size, worker, next);
    end_ = std::max({end_, worker.worked, worker.sent});
  }

  void send(const OfSize& size, Worker& worker, Worker& next) {
    worker.sent = time_before_end(std::max(worker.worked, worker.sent) + size.send);
    const SimTime starts = std::max(worker.sent, worker.out_free);
    worker.out_free = time_before_end(starts + size.port.busy);
    const SimTime comes = std::max(time_before_end(starts + size.port.latency), next.in_free);
    next.in_free = time_before_end(comes + size.port.busy);
    next.next_message = time_before_end(comes + size.port.transfer);
  }

  /// Mostly two sizes take turns: that of all chunks, and that of the last one.
  const OfSize& of_size(std::int64_t bytes) {
    if (sizes_[0].bytes != bytes) {
      std::swap(sizes_[0], sizes_[1]);
      if (sizes_[0].bytes != bytes) sizes_[0] = costs_of(bytes);
    }
    return sizes_[0];
  }

  OfSize costs_of(std::int64_t bytes) {
    const Bytes wire = nccl::on_wire(plan_.protocol, Bytes(bytes));
    const MessageLayer& layer = machine_.messages;
    if (costs_of_messages_.goes_by_rendezvous(false, wire, SendMode::standard)) throw MayContend{};
    OfSize size;
    size.bytes = bytes;
    size.send = costs_of_messages_.send_cost(Rank{0}, Rank{1}, wire, SendMode::standard).all();
    size.receive = time_before_end(layer.receive_overhead + time_before_end(layer.receive_per_byte, wire));
    size.passing = costs_.data(Bytes(bytes), true, false);
    size.adding = costs_.data(Bytes(bytes), false, true);
    size.port = network_.port_times(wire + layer.envelope);
    if (nccl::workers_of(plan_) > 1) {
      if (!latency_) latency_ = size.port.latency;
      if (size.port.busy > SimTime() || size.port.latency != *latency_) throw MayContend{};
    }
    return size;
  }

  const nccl::Plan& plan_;
  const Machine& machine_;
  const PortNetwork& network_;
  const LibraryCosts costs_of_messages_;
  const PrimitiveCosts costs_;
  std::vector<Worker> workers_;  ///< by place
  OfSize sizes_[2];              ///< the last one first
  std::optional<SimTime> latency_;
  SimTime end_;
};

}  // namespace

std::optional<SimTime> uncontended_ring_time(const nccl::Plan& plan, const nccl::Parameters& parameters,
                                             Machine& machine) {
  assert(plan.algorithm == nccl::Algorithm::ring &&
         machine.host_of.size() == static_cast<std::size_t>(plan.layout.ranks));
  if (plan.bytes == 0 || machine.nics > 1 || !waits_for_ports_alone(machine)) return std::nullopt;
  try {
    return RingClock(plan, parameters, machine).end_of_all();
  } catch (const MayContend&) {
  } catch (const TimePastEnd&) {
  }
  return std::nullopt;
}

}  // namespace morgana
