#include "emulator/network/fabric/check.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

namespace morgana::fabric {
namespace {

void require_holds(std::string_view member, Bytes buffer, Bytes needed) {
  if (buffer >= needed) return;
  throw ParameterError(std::string(member),
                       fmt::format("{} B don't hold the largest packet, which takes {} B with its header",
                                   buffer.count(), needed.count()));
}

void require_weights(const FabricParameters& parameters, unsigned groups) {
  constexpr unsigned most = 255;
  const auto fail = [](const std::string& why) { throw ParameterError("tables", why); };
  std::vector<bool> has_weight(groups);
  for (const auto* table : {&parameters.tables.high, &parameters.tables.low}) {
    for (const LaneWeight& line : *table) {
      if (line.group >= groups)
        fail(fmt::format("there is no group {} of virtual channels, only {} from 0", line.group, groups));
      if (line.weight < 1 || line.weight > most)
        fail(fmt::format("a weight of {} is not within 1 and {}", line.weight, most));
      has_weight[line.group] = true;
    }
  }
  for (unsigned group = 0; group < groups; ++group)
    if (!has_weight[group])
      fail(fmt::format("group {} of virtual channels has no weight and would never send", group));
}

}  // namespace

void require_valid(const CabledGraph& network, const FabricParameters& parameters,
                   const VirtualChannels& channels) {
  if (channels.count() > most_virtual_channels) {
    throw ParameterError(
        "lanes", fmt::format("traffic classes ({}) times the routing's virtual channels ({}) times "
                             "lanes ({}) are more than {} virtual channels",
                             channels.classes, channels.of_routing, channels.lanes, most_virtual_channels));
  }
  for (const auto* links : {&network.hosts, &network.trunks}) {
    for (const Link& link : *links)
      if (link.propagation <= SimTime()) throw ParameterError("propagation", "a cable takes at least 1 ps");
  }
  const Bytes largest = parameters.packet.on_link(parameters.packet.largest);
  if (parameters.flow_control == FlowControl::credits) {
    const std::int64_t unit = parameters.credit_unit.count();
    const Bytes whole((largest.count() + unit - 1) / unit * unit);
    require_holds("buffer", parameters.buffer, whole);
    require_holds("host_buffer", parameters.host_buffer, whole);
  }
  if (parameters.output_queue > Bytes(0)) require_holds("output_queue", parameters.output_queue, largest);
  if (parameters.lane_arbitration == LaneArbitration::weighted)
    require_weights(parameters, channels.groups());
}

}  // namespace morgana::fabric
