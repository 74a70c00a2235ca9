#pragma once

#include <string>

#include "emulator/core/error.h"
#include "emulator/network/fabric/links.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana::fabric {

inline constexpr unsigned most_virtual_channels = 16;

/// Parameters that can't be used together, and the member of FabricParameters to change.
class ParameterError : public Error {
 public:
  ParameterError(std::string member, const std::string& why) : Error(why), member_(std::move(member)) {}
  const std::string& member() const { return member_; }

 private:
  std::string member_;
};

/// Checks the parameters for a network.
/// @throws ParameterError for parameters that are out of range or contradict each other. Examples: buffers
/// and queues that don't hold the largest packet, more than 16 virtual channels, cables without propagation
/// delay, tables of weights that leave out a group
void require_valid(const CabledGraph& network, const FabricParameters& parameters,
                   const VirtualChannels& channels);

}  // namespace morgana::fabric
