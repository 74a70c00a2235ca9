#pragma once

#include <list>

#include "tests/network/myrinet/reference_wire.h"

namespace morgana::testing {

/// A host's interface, flit by flit: sends one packet at a time, its own and those in transit.
class FlitNic {
 public:
  FlitNic(FlitWorld& world, std::uint32_t number, Wire& out, Wire& in)
      : world_(world), number_(number), out_(out), in_(in) {}

  // What has become true.
  void clear() {
    clear_reception();
    clear_sending();
  }
  void receive() {
    while (in_.has_arrival()) receive(in_.take_arrival());
  }
  void inject(std::uint32_t worm) { local_.push_back({worm, flits_of(world_.given, worm)}); }

  void choose() {
    if (!sending_.empty()) return;
    auto first = in_transit_.end();
    for (auto packet = in_transit_.begin(); packet != in_transit_.end(); ++packet)
      if (!packet->to_be_completed && packet->ready <= world_.now &&
          (first == in_transit_.end() || packet->ready < first->ready))
        first = packet;
    const bool local_is_due = passed_over_ > 0 && passed_over_ >= world_.p.priority_threshold;
    if (first != in_transit_.end() && (local_.empty() || !local_is_due)) {
      passed_over_ += local_.size();
      sending_.splice(sending_.begin(), in_transit_, first);
    } else if (!local_.empty()) {
      passed_over_ = 0;
      sending_.splice(sending_.begin(), local_, local_.begin());
    }
  }

  void start() {
    if (sending_.empty() || sending_.front().flits.empty() || !out_.may_start()) return;
    Packet& packet = sending_.front();
    out_.start(packet.flits.front());
    packet.ended = packet.flits.front().last();
    packet.flits.pop_front();
  }
  const PoolCounts& counts() const { return counts_; }
  const std::vector<InterfaceNote>& notes() const { return notes_; }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  using Note = InterfaceNote::What;
  struct Packet {
    std::uint32_t worm;
    std::deque<Flit> flits;  // there and not yet started
    bool in_transit = false;
    std::int64_t ready = 0;
    bool to_be_completed = false;  // goes through host memory and is not all there
    bool in_pool = false;
    std::int64_t reserved = 0;  // bytes of the pool
    bool ended = false;         // its last flit has started
  };
  struct Reception {
    bool active = false, ended = false;
    std::uint32_t worm = 0;
    int flits = 0;
    bool told = false;  // of its first four flits
    WormLoss why = WormLoss::none;
    Packet* in_transit = nullptr;
    bool in_pool = false;
    std::int64_t last_arrival = 0;
  };

  void clear_reception() {
    if (!reception_.ended || !world_.clear_of(reception_.last_arrival)) return;
    if (reception_.why != WormLoss::none)
      world_.lose(reception_.worm, reception_.why);
    else if (reception_.in_transit == nullptr)
      deliver(reception_.worm);
    else if (reception_.in_pool)
      note(Note::received);
    reception_ = {};
  }
  void deliver(std::uint32_t worm) {
    world_.results.fates[worm].times.delivered = SimTime::from_ps(world_.now);
    world_.results.delivered_to[worm] = number_;
  }
  void clear_sending() {
    if (sending_.empty() || !sending_.front().ended || !out_.is_clear()) return;
    const Packet& sent = sending_.front();
    if (sent.in_transit) {
      note(Note::departed);
    } else {
      world_.results.fates[sent.worm].times.departed = SimTime::from_ps(world_.now);
    }
    if (sent.in_pool) {
      --pool_packets_;
      counts_.packet_time += SimTime::from_ps(world_.now);
      pool_bytes_ -= sent.reserved;
    }
    sending_.clear();
  }

  void receive(const Flit& flit) {
    if (!reception_.active)
      receive_first(flit);
    else if (reception_.in_transit != nullptr)
      reception_.in_transit->flits.push_back(flit);
    if (++reception_.flits == 4 || (flit.last() && !reception_.told)) tell_early();
    if (!flit.last()) return;
    reception_.ended = true;
    reception_.last_arrival = world_.now;
    world_.look_at(world_.now + world_.p.flit.ps());
    if (reception_.in_transit != nullptr)
      complete(*reception_.in_transit);
    else if (flit.kind == Flit::Kind::bad_tail)
      reception_.why = flit.why;
    else if (reception_.why == WormLoss::none && world_.corrupted[flit.worm])
      reception_.why = WormLoss::corrupted;
  }

  void note(Note what) {
    if (world_.p.program) notes_.push_back({SimTime::from_ps(world_.now), what});
  }
  void tell_early() {
    reception_.told = true;
    if (!reception_.in_pool) {
      const bool no_room = reception_.why == WormLoss::pool_overflow || reception_.in_transit != nullptr;
      return note(no_room ? Note::early_no_room : Note::early);
    }
    note(Note::early_in_transit);
    if (!world_.p.program) return;
    reception_.in_transit->ready = world_.now + world_.p.program->ps() * (programmed_++ % 4);
    world_.look_at(reception_.in_transit->ready);
  }

  void receive_first(const Flit& flit) {
    reception_.active = true;
    reception_.worm = flit.worm;
    if (flit.kind == Flit::Kind::mark)
      receive_mark(flit);
    else if (flit.kind == Flit::Kind::route)
      reception_.why = WormLoss::route_left_over;
    else if (!is_for_here(world_.given.plan[flit.worm]))
      reception_.why = WormLoss::wrong_host;
  }
  bool is_for_here(const PlannedWorm& worm) const {
    return worm.to == PlannedWorm::anywhere || worm.to == number_;
  }

  void receive_mark(const Flit& mark) {
    const WormParameters& p = world_.p;
    ++counts_.in_transit;
    const bool fits = pool_bytes_ + mark.behind <= p.pool;
    if (!fits) ++counts_.overflows;
    if (!fits && !p.overflow_to_host_memory) {
      reception_.why = WormLoss::pool_overflow;
      return;
    }
    Packet packet{mark.worm, {}};
    packet.in_transit = true;
    packet.ready = world_.now + (p.program ? 0 : p.detection.ps() + p.programming.ps());
    packet.to_be_completed = !fits;
    packet.in_pool = fits;
    if (fits) {
      packet.reserved = mark.behind;
      pool_bytes_ += packet.reserved;
      ++pool_packets_;
      counts_.packet_time -= SimTime::from_ps(world_.now);
      counts_.most_packets = std::max(counts_.most_packets, pool_packets_);
      counts_.most_bytes = std::max(counts_.most_bytes, pool_bytes_);
      world_.look_at(packet.ready);
      if (p.program) packet.ready = never;
    }
    reception_.in_pool = fits;
    in_transit_.push_back(std::move(packet));
    reception_.in_transit = &in_transit_.back();
  }

  void complete(Packet& packet) {
    if (!packet.to_be_completed) return;
    packet.to_be_completed = false;
    const std::int64_t copied = world_.now + world_.p.flit.ps() + world_.p.host_memory_delay.ps();
    packet.ready = std::max(packet.ready, copied);
    world_.look_at(packet.ready);
  }

  FlitWorld& world_;
  std::uint32_t number_;
  Wire& out_;
  Wire& in_;
  std::list<Packet> local_, in_transit_, sending_;  // the last has one at most
  std::size_t passed_over_ = 0;  // local packets, by ones in transit since the last local one
  Reception reception_;
  std::int64_t pool_packets_ = 0, pool_bytes_ = 0;
  PoolCounts counts_;
  std::vector<InterfaceNote> notes_;
  std::int64_t programmed_ = 0;  // packets in transit for which a program has had its say
};

}  // namespace morgana::testing
