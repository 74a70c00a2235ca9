#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/network/network.h"

namespace morgana::testing {

/// BookSim's cycle; its flit of 64 bytes takes one at 512 Gb/s.
inline constexpr SimTime booksim_cycle = SimTime::from_ps(1'000);

struct BooksimTraffic {
  std::uint32_t hosts = 64;
  double load = 0.1;   ///< flits a host and cycle
  unsigned flits = 1;  ///< of a packet
  /// Whom a host sends to, possibly itself.
  std::function<std::uint32_t(std::uint32_t host, RandomStream& random)> destination;
  double to_itself = 6;  ///< latency of packets that leave their switch by their own host's port, in cycles
  std::int64_t warm_up = 2'000, measured = 8'000, drained = 1'000;  ///< cycles
};

/// Packets from every host with a probability in every cycle.
class BooksimLoad : private EventHandler, private UnitListener {
 public:
  BooksimLoad(EventQueue& events, Network& network, BooksimTraffic traffic)
      : events_(events), network_(network), traffic_(std::move(traffic)) {
    network.report_to(*this);
    events.schedule(booksim_cycle, *this);
    const std::int64_t end = traffic_.warm_up + traffic_.measured + traffic_.drained;
    while (!events.empty() && events.now() < end * booksim_cycle) events.handle_next();
  }
  /// In cycles, from the creation of a packet to its tail's arrival, of those created in the measured time.
  double mean_latency() const { return latencies_ / static_cast<double>(packets_); }
  /// Flits delivered a host and cycle in the measured time.
  double accepted() const {
    return static_cast<double>(delivered_ * traffic_.flits) /
           (traffic_.hosts * static_cast<double>(traffic_.measured));
  }
  /// Of those created in the measured time: how many have not been delivered.
  std::int64_t undelivered() const { return created_in_time_ - packets_; }

 private:
  bool counts(SimTime at) const {
    return at >= traffic_.warm_up * booksim_cycle &&
           at < (traffic_.warm_up + traffic_.measured) * booksim_cycle;
  }
  void handle(std::uint64_t) override {
    for (std::uint32_t host = 0; host < traffic_.hosts; ++host)
      if (random_.chance(traffic_.load / traffic_.flits)) create(host);
    if (events_.now() < (traffic_.warm_up + traffic_.measured) * booksim_cycle)
      events_.schedule(events_.now() + booksim_cycle, *this);
  }
  void create(std::uint32_t host) {
    const std::uint32_t to = traffic_.destination(host, random_);
    if (counts(events_.now())) ++created_in_time_;
    if (to != host) {
      created_.push_back(events_.now());
      network_.inject({UnitId{created_.size() - 1}, PortId{host}, PortId{to}, Bytes(64 * traffic_.flits)});
    } else if (counts(events_.now())) {
      latencies_ += traffic_.to_itself;
      ++packets_;
      ++delivered_;
    }
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId) override {
    const SimTime created = created_[static_cast<std::size_t>(id)];
    if (counts(events_.now())) ++delivered_;
    if (!counts(created)) return;
    latencies_ += (events_.now() - created).seconds() / booksim_cycle.seconds();
    ++packets_;
  }
  void unit_lost(UnitId) override { FAIL(); }

  EventQueue& events_;
  Network& network_;
  BooksimTraffic traffic_;
  RandomStream random_{7, "booksim"};
  std::vector<SimTime> created_;
  double latencies_ = 0;
  std::int64_t packets_ = 0, created_in_time_ = 0, delivered_ = 0;
};

}  // namespace morgana::testing
