#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/myrinet/mapping/distribution.h"
#include "emulator/network/myrinet/mapping/exploration.h"
#include "emulator/network/myrinet/mapping/packet.h"
#include "emulator/network/myrinet/mapping/parameters.h"

namespace morgana {

/// What came of a round that its mapper has led.
struct MappingReport {
  HostName leader = 0;
  NetworkMap map;                ///< without probes that an earlier beginning took
  std::string failure;           ///< why there is none; empty if there is
  SimTime began, found, ended;   ///< the map was complete; the last host had its routes, or was given up
  std::uint64_t probes = 0;      ///< that it sent
  std::uint64_t unanswered = 0;  ///< of those; most lead to nothing
  unsigned restarts = 0;         ///< beginnings after the first
  std::uint64_t table_packets = 0, resent = 0;  ///< the latter are not among the former
  std::size_t hosts_told = 0;                   ///< have all their routes; the leader is one
  std::vector<HostName> silent;                 ///< the others
};

/// What a daemon needs of its host.
class MapperHost {
 public:
  virtual void send(MappingPacket packet, std::vector<RouteByte> route) = 0;
  /// The host's own routes.
  virtual void adopt(HostTable table) = 0;
  virtual void ended(const MappingReport& report) = 0;

 protected:
  ~MapperHost() = default;
};

/// Maps the network from its host and, unless a mapper with a lower name is at work, computes routes and
/// hands them out.
class MapperDaemon : private EventHandler {
 public:
  MapperDaemon(EventQueue& events, MapperHost& host, HostName name, const MappingParameters& parameters);

  /// Begins a round, now; no effect while it is at one.
  void begin();
  /// From its beginning until it has led a round to its end or got routes of another leader.
  bool busy() const { return state_ != State::idle; }
  bool maps() const { return state_ == State::exploring || state_ == State::telling; }

  // What its host gets.
  /// An own probe, or the answer to one, with the name of the host that it got to.
  void answered(const MappingPacket& packet, HostName by);
  void receipt(const MappingPacket& packet);
  /// Another host is mapping.
  void heard_of(HostName mapper);
  /// The host has got all its routes from a leader.
  void routes_came();

  // For those who look on.
  std::size_t switches_found() const { return exploration_ ? exploration_->switches() : 0; }
  std::size_t hosts_found() const { return exploration_ ? exploration_->hosts() : 0; }
  /// Of the packets of routes, how large a share has arrived.
  double share_told() const;

 private:
  enum class State : std::uint8_t {
    idle,
    exploring,
    telling,       // the others their routes
    standing_back  // another mapper is at work
  };
  enum What : std::uint64_t {
    probe_is_overdue,
    pause_is_over,
    receipt_is_overdue,
    routes_are_overdue,
    next_round
  };
  static constexpr unsigned what_bits = 3, copy_bits = 8;
  /// A packet of routes.
  struct Part {
    TablePacket packet;
    HostNumber to;            // on the map
    std::uint32_t parts = 0;  // that the host gets
    unsigned sent = 0;
    bool settled = false;  // has arrived, or the host has been given up
  };

  void handle(std::uint64_t event) override;
  void schedule(SimTime in, What what, std::uint64_t detail);
  void explore_anew();
  void probe();
  void learn(std::optional<HostName> answer);
  void succeed();
  void lead();
  void tell_more();
  void send_part(std::size_t index);
  void overdue(std::uint64_t copy);
  void settle(Part& part);
  void give_up(HostNumber host);
  void end(const std::string& failure);
  void forget_work();
  void rest();

  EventQueue& events_;
  MapperHost& host_;
  HostName name_;
  MappingParameters parameters_;
  State state_ = State::idle;
  std::uint32_t round_ = 0;
  unsigned rounds_stood_back_ = 0;  // one after the other
  bool next_round_is_set_ = false;
  SimTime began_;  // the round
  MappingReport report_;

  std::optional<Exploration> exploration_;
  std::uint32_t probe_number_ = 0, first_number_ = 0;  // of the present probe's last and first copy

  std::optional<RouteTable> routes_;  // of the map
  std::vector<Part> parts_;
  std::uint32_t first_part_ = 0;        // its number
  std::vector<std::uint32_t> missing_;  // parts, by host of the map
  std::size_t next_part_ = 0, out_ = 0, settled_ = 0;
};

}  // namespace morgana
