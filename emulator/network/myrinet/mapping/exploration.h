#pragma once

#include <map>
#include <optional>
#include <vector>

#include "emulator/network/myrinet/mapping/mapping.h"

namespace morgana {

/// What a mapper sends out to learn about the network.
struct Probe {
  std::vector<RouteByte> route;
  std::vector<RouteByte> answer_along;  ///< for the host that gets it; empty: it keeps silent
};

/// What map_network does, probe by probe: for mappers that can't wait for an answer within.
class Exploration {
 public:
  /// @throws Error for options out of range
  Exploration(HostName own_name, const MappingOptions& options);

  /// The probe to be sent now; nothing once all is found.
  const Probe* next() const { return step_ == Step::done ? nullptr : &probe_; }
  /// Whether that has been sent before, and nothing came of it.
  bool again() const { return tries_ > 0; }
  /// Its result, as Prober::probe returns it. @throws Error as map_network; it is of no use then
  void tell(std::optional<HostName> answer);

  std::size_t switches() const { return found_.size(); }  ///< found so far
  std::size_t hosts() const { return hosts_.size(); }
  NetworkMap map() const;

 private:
  using RouteBytes = std::vector<RouteByte>;
  struct Found {
    RouteBytes there;                   // turns from the mapping host
    RouteByte entry;                    // the port that this comes in by
    std::vector<bool> taken, explored;  // ports
  };
  /// What the present probe asks.
  enum class Step : std::uint8_t {
    own_port,      // is the mapping host at this port of its switch?
    host,          // is there a host at this port?
    any_switch,    // or a switch?
    control,       // there seems to be nothing: is the port's switch still reached?
    known_switch,  // is it this one that has been found?
    entry,         // does its cable come in there by this port?
    done
  };

  void ask();
  void learn(std::optional<HostName> answer);
  void next_port();
  void next_known();
  void next_entry();
  void plugged(RouteByte entry);
  void add(RouteBytes there, RouteByte entry);
  bool may_be(const Found& known) const;
  RouteBytes home_from(const Found& at) const;

  HostName own_name_;
  MappingOptions options_;
  Step step_ = Step::own_port;
  Probe probe_;
  unsigned tries_ = 0;  // of the present probe
  SwitchId from_ = 0;   // is being explored
  unsigned port_ = 0;   // of it
  RouteBytes there_;    // through that port
  SwitchId known_ = 0;  // compared with, or the number of found switches: it is a new one
  unsigned entry_ = 0;

  std::vector<Found> found_;
  std::map<HostName, SwitchPort> hosts_;
  std::vector<SwitchGraph::Cable> cables_;
  std::uint64_t probes_ = 0;
};

}  // namespace morgana
