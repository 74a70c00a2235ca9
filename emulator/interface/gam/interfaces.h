#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/interface/gam/gam_program.h"
#include "emulator/network/interface_network.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana::gam {

/// A Myrinet with GAM's program at every NIC, as the hosts see it: a unit is a fragment, which lies in
/// the sender's memory and comes out in the receiver's. GAM relies on the network: what that loses is lost.
/// Fragments between the same two hosts keep their order.
///
/// A NIC takes a fragment in only when it has put the ones before into its host's memory, and one that
/// must wait holds up the sender's network DMA. Here it waits in its sender's NIC, in the order of
/// asking, and not in the network, where it would stand in others' way.
class Interfaces : public InterfaceNetwork<MyrinetNetwork>, private UnitListener, private GamSurroundings {
 public:
  /// @param network  into which nothing has been injected
  /// @throws Error as Parameters::check
  Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network, const Parameters& parameters);

  void inject(const Unit& fragment) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  std::vector<CounterTable> counted(SimTime until) override;

  const GamProgram& program(PortId host) const { return *programs_[static_cast<std::size_t>(host)]; }

 private:
  GamProgram& program(PortId host) { return *programs_[static_cast<std::size_t>(host)]; }
  void ask_for_door(PortId from, PortId to) override;
  void send(const Unit& fragment) override;
  void in_host_memory(const Unit& fragment) override;
  void free_door(PortId host);

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;

  /// Of a NIC, for fragments that come in.
  struct Door {
    std::int64_t inside = 0;
    std::deque<PortId> waiting;
    std::uint64_t waited = 0;
  };

  Parameters parameters_;
  std::vector<std::unique_ptr<GamProgram>> programs_;  // by host
  std::vector<Door> doors_;                            // by host
  Pool<Unit> under_way_;  // in the network: fragments as the hosts know them, by the network's number
  std::uint64_t lost_ = 0;
};

}  // namespace morgana::gam
