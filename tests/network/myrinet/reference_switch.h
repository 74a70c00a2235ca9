#pragma once

#include <deque>
#include <vector>

#include "tests/network/myrinet/reference_wire.h"

namespace morgana::testing {

/// Slack buffers, a crossbar and what routes: a switch, flit by flit.
class FlitSwitch {
 public:
  FlitSwitch(FlitWorld& world, std::uint32_t ports)
      : world_(world), inputs_(ports), outputs_(ports), granted_last_(ports - 1) {
    for (Output& output : outputs_) output.granted_last = ports - 1;
  }
  void attach_output(std::uint32_t port, Wire& wire, bool to_host = false) {
    outputs_[port].wire = &wire;
    outputs_[port].to_host = to_host;
  }
  void attach_input(std::uint32_t port, Wire& wire) { inputs_[port].wire = &wire; }

  // What has become true.
  void clear() {
    for (Input& input : inputs_) {
      if (!input.ended || !world_.clear_of(input.last_taken)) continue;
      if (input.state == State::forwarding) outputs_[input.wanted].held = false;
      if (input.state == State::sinking && !input.silent) world_.lose(input.worm, input.why);
      input.state = State::idle;
      input.ended = false;
    }
  }
  void receive() {
    for (Input& input : inputs_) {
      while (input.wire != nullptr && input.wire->has_arrival())
        input.buffer.push_back(input.wire->take_arrival());
      if (input.state == State::routing && input.since + world_.p.routing.ps() <= world_.now) {
        input.buffer.pop_front();  // the route byte
        input.state = State::forwarding;
      }
    }
  }

  /// Connections whose output has been still for too long are broken, and the outputs free.
  void cut_stalled() {
    if (!world_.p.deadlock_timeout) return;
    for (Input& input : inputs_) {
      if (input.state != State::forwarding || input.ended) continue;
      Output& output = outputs_[input.wanted];
      if (!output.wire->is_stopped() || output.to_host) continue;
      const std::int64_t routed = input.since + world_.p.routing.ps();
      const std::int64_t patient_until =
          std::max(routed, output.wire->still_since()) + world_.p.deadlock_timeout->ps();
      if (patient_until > world_.now) {
        world_.look_at(patient_until);
        continue;
      }
      ++cuts_;
      output.held = false;
      sink(input, input.worm, WormLoss::deadlock);
      input.silent = output.wire->cut();
      cuts_within_packets_ += input.silent;
    }
  }

  void request() {
    for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
      Input& input = inputs_[i];
      if (input.state != State::idle || input.buffer.empty()) continue;
      const Flit& front = input.buffer.front();
      const std::int64_t port = named_port(front, i);
      if (front.kind != Flit::Kind::route) {
        sink(input, front.worm, WormLoss::route_used_up);
      } else if (!has_wire(port)) {
        sink(input, front.worm, WormLoss::no_such_port);
      } else {
        input.state = State::waiting;
        input.wanted = static_cast<std::uint32_t>(port);
        input.worm = front.worm;
        input.since = world_.now;
        if (world_.p.deadlock_timeout) world_.look_at(world_.now + world_.p.deadlock_timeout->ps());
      }
    }
  }

  void grant() {
    if (world_.p.one_routing_unit) {
      if (unit_free_ <= world_.now && grant_next(granted_last_, [](const Input&) { return true; }))
        unit_free_ = world_.now + world_.p.routing.ps();
    } else {
      for (std::uint32_t o = 0; o < outputs_.size(); ++o)
        grant_next(outputs_[o].granted_last, [o](const Input& input) { return input.wanted == o; });
    }
    for (Input& input : inputs_)
      if (input.state == State::waiting && world_.p.deadlock_timeout &&
          input.since + world_.p.deadlock_timeout->ps() <= world_.now)
        sink(input, input.worm, WormLoss::deadlock);
  }

  void start() {
    for (Input& input : inputs_) {
      if (input.ended || input.buffer.empty()) continue;
      if (input.state == State::forwarding && outputs_[input.wanted].wire->may_start())
        outputs_[input.wanted].wire->start(take_front(input));
      else if (input.state == State::sinking && world_.clear_of(input.last_taken))
        if (const Flit flit = take_front(input); flit.kind == Flit::Kind::bad_tail) input.why = flit.why;
    }
  }

  void compare_with_thresholds() {
    for (Input& input : inputs_) {
      const auto held = static_cast<std::int64_t>(input.buffer.size());
      if (held > world_.p.buffer) throw std::logic_error("a slack buffer overflows");
      most_held_ = std::max(most_held_, held);
      const bool crosses = input.told_to_stop ? held < world_.p.go_below : held > world_.p.stop_above;
      if (!crosses) continue;
      input.told_to_stop = !input.told_to_stop;
      input.wire->control(input.told_to_stop);
    }
  }
  std::int64_t most_held() const { return most_held_; }
  std::size_t cuts() const { return cuts_; }
  std::size_t cuts_within_packets() const { return cuts_within_packets_; }

 private:
  enum class State { idle, waiting, routing, forwarding, sinking };
  struct Input {
    Wire* wire = nullptr;
    std::deque<Flit> buffer;
    bool told_to_stop = false;
    State state = State::idle;
    std::uint32_t wanted = 0;     // output
    std::int64_t since = 0;       // waiting, or granted
    std::int64_t last_taken = 0;  // flit of the packet in front
    bool ended = false;           // its last flit has been taken
    std::uint32_t worm = 0;       // that waits, is forwarded or sunk
    bool silent = false;          // what is sunk is the rest of a packet whose front has gone on
    WormLoss why = WormLoss::none;
  };
  struct Output {
    Wire* wire = nullptr;
    bool held = false;
    bool to_host = false;  // whose stops may last
    std::uint32_t granted_last = 0;
  };

  /// The next input in turn that waits for a free output and is eligible. @return whether there is one
  template <typename Eligible>
  bool grant_next(std::uint32_t& granted_last, Eligible eligible) {
    const auto ports = static_cast<std::uint32_t>(inputs_.size());
    for (std::uint32_t step = 1; step <= ports; ++step) {
      const std::uint32_t i = (granted_last + step) % ports;
      Input& input = inputs_[i];
      if (input.state != State::waiting || outputs_[input.wanted].held || !eligible(input)) continue;
      granted_last = i;
      outputs_[input.wanted].held = true;
      input.state = State::routing;
      input.since = world_.now;
      world_.look_at(world_.now + world_.p.routing.ps());
      return true;
    }
    return false;
  }

  /// The output that a route's byte names at an input: its number, or how much higher than the input it is.
  static std::int64_t named_port(const Flit& flit, std::uint32_t input) {
    const std::int64_t byte = flit.byte;
    return byte < 128 ? byte : input + (byte - straight_back);
  }
  bool has_wire(std::int64_t port) const {
    return port >= 0 && port < static_cast<std::int64_t>(outputs_.size()) &&
           outputs_[static_cast<std::size_t>(port)].wire != nullptr;
  }

  void sink(Input& input, std::uint32_t worm, WormLoss why) {
    input.state = State::sinking;
    input.why = why;
    input.worm = worm;
    input.silent = false;
    input.last_taken = FlitWorld::long_ago;
  }

  Flit take_front(Input& input) {
    const Flit flit = input.buffer.front();
    input.buffer.pop_front();
    input.last_taken = world_.now;
    input.ended = flit.last();
    world_.look_at(world_.now + world_.p.flit.ps());
    return flit;
  }

  FlitWorld& world_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::uint32_t granted_last_;  // where there is one routing unit
  std::int64_t unit_free_ = FlitWorld::long_ago;
  std::int64_t most_held_ = 0;
  std::size_t cuts_ = 0, cuts_within_packets_ = 0;  // of stalled connections
};

}  // namespace morgana::testing
