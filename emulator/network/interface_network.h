#pragma once

#include <memory>
#include <string>
#include <utility>

#include "emulator/network/network.h"

namespace morgana {

/// Hosts' NICs, or what serves them, with the network behind: a network itself. Who derives from it
/// says what is other than in the network behind, and all else is as there. But whether units are given up
/// (NetworkCapabilities::returns), whether nothing is ever lost, and other interfaces (Network::extensions),
/// are not taken over.
template <class Behind = Network>
class InterfaceNetwork : public Network {
 public:
  Bytes largest_unit() const override { return network_->largest_unit(); }
  SimTime least_latency() const override { return network_->least_latency(); }
  NetworkCapabilities capabilities() const override {
    const NetworkCapabilities behind = network_->capabilities();
    return {.order = behind.order, .fails = behind.fails};
  }
  std::string how_lost() const override { return network_->how_lost(); }
  std::string remedy() const override { return network_->remedy(); }
  NetworkLinks links(SimTime until) override { return network_->links(until); }
  bool follow_ports(const std::vector<bool>& ports) override { return network_->follow_ports(ports); }

 protected:
  /// @param network  into which nothing has been injected
  explicit InterfaceNetwork(std::unique_ptr<Behind> network) : network_(std::move(network)) {}

  std::unique_ptr<Behind> network_;
};

}  // namespace morgana
