#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulator/network/myrinet/mapping/mapper_daemon.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// A host as the network's management sees it: its table of routes, what answers probes and takes in routes,
/// and its mapper daemon.
class MappedHost final : private MapperHost {
 public:
  using Send = std::function<void(MappingPacket, std::vector<RouteByte>)>;
  using Ended = std::function<void(const MappingReport&)>;
  MappedHost(EventQueue& events, HostName name, const MappingParameters& parameters, Send send, Ended ended);

  HostName name() const { return name_; }
  MapperDaemon& mapper() { return mapper_; }
  const MapperDaemon& mapper() const { return mapper_; }
  const HostTable& table() const { return table_; }
  void adopt(HostTable table) override { table_ = std::move(table); }
  void receive(const MappingPacket& packet);

 private:
  /// When a mapper was heard of.
  struct Heard {
    std::uint32_t round = 0;
    SimTime first, last;  // of this round
  };

  void send(MappingPacket packet, std::vector<RouteByte> route) override;
  void ended(const MappingReport& report) override { ended_(report); }
  void hear(const MappingPacket& packet);
  bool is_outranked(HostName mapper) const;
  void answer(const MappingPacket& probe);
  void collect(const MappingPacket& part);

  EventQueue& events_;
  HostName name_;
  Send send_;
  Ended ended_;
  MapperDaemon mapper_;
  HostTable table_;
  std::map<HostName, Heard> heard_;
  // Routes that are coming, until they are all there.
  std::pair<HostName, std::uint32_t> collected_from_;             // mapper and round
  std::map<std::uint32_t, std::vector<std::uint8_t>> collected_;  // by number; what has been adopted is empty
};

/// A Myrinet that is mapped from within: every host has a table of routes that came over the network, and a
/// daemon; those of them that are to map send probes, elect the one with the lowest name, and that hands
/// out routes. Other units go along what their host's table says at their injection; a host that has no route
/// loses what it sends. Probes may block each other and all other packets until the switches' deadlock
/// timeout.
///
/// Daemons know of their packets only what arrives. What is corrupted, cut off or misled is dropped.
class MappedNetwork : public Network, private UnitListener, private EventHandler {
 public:
  /// @param network  not used otherwise; must outlive this. @param names  of its hosts, all different
  /// @throws Error as MappingParameters::check, and for a name given twice
  MappedNetwork(EventQueue& events, MyrinetNetwork& network, std::vector<HostName> names,
                const MappingParameters& parameters = {});
  ~MappedNetwork() override;

  /// The host's daemon begins a round, now.
  void map_from(HostNumber host) { hosts_[host]->mapper().begin(); }
  /// Whether any daemon is at one.
  bool busy() const;
  /// Of rounds that have been led to their end, in that order.
  const std::vector<MappingReport>& reports() const { return reports_; }

  const MappedHost& host(HostNumber host) const { return *hosts_[host]; }
  const std::vector<HostName>& names() const { return names_; }
  /// Writes every host's routes, as if they had come.
  void install(const RouteTable& routes);
  /// What the tables say of routes between the hosts of a map, by the network's own numbers.
  RouteTable installed(const NetworkMap& map) const;

  struct Totals {
    std::uint64_t sent = 0, lost = 0;  ///< packets of daemons
    std::int64_t bytes = 0;            ///< sent, without routes, types and CRCs
  };
  const Totals& totals() const { return totals_; }

  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return network_.largest_unit(); }
  SimTime least_latency() const override { return network_.least_latency(); }
  std::string how_lost() const override { return network_.how_lost(); }
  std::vector<CounterTable> counted(SimTime until) override { return network_.counted(until); }

 private:
  /// On the way from a daemon to its interface.
  struct Outgoing {
    HostNumber from;
    MappingPacket packet;
    std::vector<RouteByte> route;
  };
  void send(HostNumber from, MappingPacket packet, std::vector<RouteByte> route);
  void handle(std::uint64_t what) override;
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;

  EventQueue& events_;
  MyrinetNetwork& network_;
  std::vector<HostName> names_;
  SimTime overhead_;
  std::vector<std::unique_ptr<MappedHost>> hosts_;
  std::deque<Outgoing> outgoing_;
  std::unordered_map<std::uint64_t, MappingPacket> in_flight_;  // never walked through
  std::uint64_t next_id_ = 0;
  std::vector<MappingReport> reports_;
  Totals totals_;
};

}  // namespace morgana
