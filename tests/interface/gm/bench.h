#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "emulator/interface/gm/control_program.h"

namespace morgana::testing {
namespace gm_bench {
using namespace literals;
using namespace gm;

/// Interface 0, of which the test is the network and the host, and its only partner.
constexpr PortId here{0}, there{1};

/// Cycles of 1 ns, a dispatch takes 10 ns, a handler 100 ns, a look at a packet's type 5 ns; the bus takes 1
/// us for an empty packet.
inline Parameters round_numbers() {
  Parameters parameters;
  parameters.lanai.cycle = 1_ns;
  parameters.dispatch = 10;
  parameters.handler = 100;
  parameters.type_test = 5;
  parameters.lanai.bus_latency = 1_us;
  return parameters;
}

/// The packet of a message of that number, or an acknowledgement of all packets before that one.
inline Packet incoming(std::uint64_t id, PacketType type = PacketType::gm, Number number = 0) {
  Packet packet{there, here, type};
  packet.message = UnitId{id};
  packet.number = type == PacketType::acknowledgement ? id : number;
  return packet;
}

/// A control program, and what it does when.
class Bench : private NetworkSide, private HostSide, private EventHandler {
 public:
  struct Deed {
    std::string what;
    SimTime at;
    bool operator==(const Deed&) const = default;
  };

  explicit Bench(const Parameters& parameters = round_numbers())
      : program(events, *this, *this, here, parameters) {}

  /// At a time of its own, before anything else in that instant.
  void at(SimTime time, std::function<void(ControlProgram&)> happens) {
    events.schedule(time, *this, happenings_.size());
    happenings_.push_back(std::move(happens));
  }
  /// The packet that was sent last has left.
  void departs(SimTime time) {
    at(time, [this](ControlProgram& its) { its.departed(sent); });
  }
  /// By default shorter than a time-out.
  const std::vector<Deed>& run(SimTime until = 5_ms) {
    while (!events.empty() && events.next_time() <= until) events.handle_next();
    return deeds;
  }

  EventQueue events;
  ControlProgram program;
  std::vector<Deed> deeds;
  Packet sent;          ///< the last one
  Number accepted = 0;  ///< by the other end, as end_session has it

 private:
  void handle(std::uint64_t happening) override { happenings_[happening](program); }
  void did(const std::string& what) { deeds.push_back({what, events.now()}); }
  static std::string name(const Packet& packet) {
    if (packet.type == PacketType::acknowledgement)
      return (packet.refuses ? "refusal, ack " : "ack ") + std::to_string(packet.number);
    return "packet " + std::to_string(static_cast<std::uint64_t>(packet.message)) +
           (packet.first_time ? "" : " again");
  }
  void send(const Packet& packet) override {
    did("sends " + name(packet));
    sent = packet;
  }
  Number end_session(PortId from, PortId to) override {
    EXPECT_EQ(from, here);
    EXPECT_EQ(to, there);
    did("ends the session");
    return accepted;
  }
  void send_on(PacketAtInterface packet) override {
    did("sends on " + std::to_string(static_cast<std::uint32_t>(packet)));
  }
  void packet_received(const Packet& packet) override { did("has " + name(packet)); }
  void message_departed(UnitId, PortId) override {}
  void message_returned(UnitId message, const std::string& how) override {
    did("gets back " + std::to_string(static_cast<std::uint64_t>(message)) + ": " + how);
  }

  std::vector<std::function<void(ControlProgram&)>> happenings_;
};
using Deeds = std::vector<Bench::Deed>;

inline void PrintTo(const Bench::Deed& deed, std::ostream* out) {
  *out << deed.what << " at " << deed.at.ps();
}

inline std::function<void(ControlProgram&)> early(std::uint32_t number, ArrivalKind kind) {
  return [number, kind](ControlProgram& program) { program.early_received(PacketAtInterface{number}, kind); };
}
inline std::function<void(ControlProgram&)> post(std::uint64_t id, Bytes bytes = Bytes()) {
  return [id, bytes](ControlProgram& program) { program.post(UnitId{id}, there, bytes); };
}
inline std::function<void(ControlProgram&)> received(const Packet& packet) {
  return [packet](ControlProgram& program) { program.received(packet); };
}

}  // namespace gm_bench
}  // namespace morgana::testing
