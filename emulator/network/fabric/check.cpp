#include "emulator/network/fabric/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "emulator/network/fabric/switch/shared_buffer.h"

namespace morgana::fabric {
namespace {

void require_holds(std::string_view member, Bytes buffer, Bytes needed) {
  if (buffer >= needed) return;
  throw ParameterError(
      std::string(member),
      fmt::format("{0} B is less than the largest packet with its header ({1} B): set at least {1} B",
                  buffer.count(), needed.count()));
}

void require_weights(const FabricParameters& parameters, const VirtualChannels& channels) {
  const unsigned groups = channels.groups();
  constexpr unsigned most = 255;
  const auto fail = [](const std::string& why) { throw ParameterError("tables", why); };
  std::vector<bool> has_weight(groups);
  for (const auto* table : {&parameters.tables.high, &parameters.tables.low}) {
    for (const LaneWeight& line : *table) {
      if (line.group >= groups)
        fail(fmt::format("there is no traffic class {}: those of network.classes = {} are numbered from 0",
                         line.group / channels.of_routing, channels.classes));
      if (line.weight < 1 || line.weight > most)
        fail(fmt::format("a weight of {} is not within 1 and {}", line.weight, most));
      has_weight[line.group] = true;
    }
  }
  for (unsigned group = 0; group < groups; ++group)
    if (!has_weight[group])
      fail(
          fmt::format("traffic class {} stands in neither network.high-priority nor network.low-priority, "
                      "and would never send",
                      group / channels.of_routing));
}

void require_class_weights(const FabricParameters& parameters) {
  constexpr unsigned most = 255;
  const auto fail = [](const std::string& why) { throw ParameterError("class_weights", why); };
  const std::vector<unsigned>& weights = parameters.class_weights;
  if (weights.size() != parameters.classes)
    fail(fmt::format("there are {} for {} traffic classes (network.classes); write one for each",
                     weights.size(), parameters.classes));
  for (const unsigned weight : weights)
    if (weight > most) fail(fmt::format("{} is more than {}", weight, most));
}

void require_storms(const CabledGraph& network, const FabricParameters& parameters) {
  const auto fail = [](const std::string& why) { throw ParameterError("faults", why); };
  for (const PauseStorm& storm : parameters.storms) {
    if (parameters.flow_control != FlowControl::pause)
      fail("a host that pauses needs network.flow-control = \"pause\"");
    if (storm.host >= network.graph.hosts())
      fail(fmt::format(
          "there is no host {}: hosts are numbered 0 to {}; correct network.faults or set hosts.count",
          storm.host, network.graph.hosts() - 1));
    if (storm.classes == 0) fail(fmt::format("host {} pauses no traffic class", storm.host));
    if (storm.classes >> parameters.classes != 0)
      fail(
          fmt::format("host {} pauses a traffic class that does not exist: those of network.classes = {} are "
                      "numbered from 0",
                      storm.host, parameters.classes));
    if (storm.from < SimTime()) fail(fmt::format("the pause of host {} begins before 0 s", storm.host));
    if (storm.until <= storm.from) fail(fmt::format("the pause of host {} must take some time", storm.host));
  }
}

void require_shared_buffer(const CabledGraph& network, const FabricParameters& parameters,
                           const VirtualChannels& channels) {
  const SharedBufferParameters& shared = parameters.shared;
  const bool pauses = parameters.flow_control == FlowControl::pause;
  if (shared.watchdog < SimTime()) throw ParameterError("pause_watchdog", "it is at least 0 s");
  if (shared.restore < SimTime()) throw ParameterError("pause_restore", "it is at least 0 s");
  if (pauses && shared.size == Bytes(0))
    throw ParameterError("shared_buffer", "pauses need a shared buffer: set its size");
  if (shared.size == Bytes(0)) return;
  if (parameters.flow_control == FlowControl::credits)
    throw ParameterError("shared_buffer", "credits have a buffer at each input, and no shared one");
  if (parameters.queueing != Queueing::output_queues)
    throw ParameterError("shared_buffer", "a shared buffer needs network.queueing = \"output-queues\"");
  if (parameters.lanes != 1) throw ParameterError("shared_buffer", "a shared buffer needs network.lanes = 1");
  const Bytes largest = parameters.packet.on_link(parameters.packet.largest);
  for (SwitchId at = 0; at < network.graph.switches(); ++at) {
    const SharedBufferShares shares = shares_of(network, at, channels.groups(), parameters);
    if (shares.pool < 0) {
      throw ParameterError(
          "shared_buffer",
          fmt::format("{} B are less than the {} B of reserve{} that the ports of switch {} take",
                      shared.size.count(), shared.size.count() - shares.pool, pauses ? " and headroom" : "",
                      at));
    }
    const double most = static_cast<double>(shared.reserve.count()) +
                        std::floor(shared.alpha * static_cast<double>(shares.pool));
    const std::int64_t room = shared.reserve.count() + shares.pool;
    const std::int64_t headroom = *std::max_element(shares.headrooms.begin(), shares.headrooms.end());
    if (headroom < largest.count() &&
        (most < static_cast<double>(largest.count()) || room < largest.count())) {
      throw ParameterError("shared_buffer",
                           fmt::format("reserve and pool of switch {} don't hold the largest packet, which "
                                       "takes {} B with its header",
                                       at, largest.count()));
    }
  }
}

void require_trimming(const FabricParameters& parameters) {
  const TrimParameters& trim = parameters.trim;
  if (trim.size == Bytes(0)) return;
  const auto fail = [](const std::string& why) { throw ParameterError("trim_size", why); };
  if (parameters.flow_control != FlowControl::none)
    fail("packets are trimmed where they would be dropped: set network.flow-control = \"none\"");
  if (parameters.queueing != Queueing::output_queues)
    fail("trimming needs network.queueing = \"output-queues\"");
  if (parameters.shared.size == Bytes(0) && parameters.output_queue == Bytes(0) &&
      parameters.output_packets == 0)
    fail("queues without a limit are never full: set network.output-queue or network.shared-buffer");
  if (trim.size < parameters.packet.minimum || trim.size < parameters.packet.header)
    fail(fmt::format("{} B are less than a packet without payload, {} B", trim.size.count(),
                     parameters.packet.on_link(Bytes(0)).count()));
  if (trim.traffic_class >= parameters.classes)
    throw ParameterError("trim_class",
                         fmt::format("there is no class {}, only {} from 0: set network.classes, too",
                                     trim.traffic_class, parameters.classes));
}

void require_allocator(const FabricParameters& parameters) {
  if (!parameters.allocates_separably()) return;
  if (parameters.allocation_cycle <= SimTime())
    throw ParameterError("allocation_cycle", "an allocator needs a cycle of at least 1 ps");
  if (parameters.queueing == Queueing::output_queues)
    throw ParameterError("allocator",
                         "separable-input-first allocates what waits at inputs: set network.queueing = "
                         "\"input-queues\" or \"virtual-output-queues\" (with network.flow-control = "
                         "\"credits\" and no shared buffer)");
  if (parameters.classes > 1 && parameters.output_queue == Bytes(0) &&
      parameters.lane_arbitration != LaneArbitration::round_robin)
    throw ParameterError("allocator",
                         "separable-input-first does not look at traffic classes: set "
                         "network.class-arbitration = \"round-robin\", or an output-queue, behind which "
                         "classes have their turns");
}

void require_marks(const FabricParameters& parameters) {
  const MarkParameters& marks = parameters.marks;
  if (marks.to == Bytes(0)) return;
  if (parameters.queueing != Queueing::output_queues && parameters.flow_control != FlowControl::credits)
    throw ParameterError("mark_from",
                         "marks need network.queueing = \"output-queues\", or network.flow-control = "
                         "\"credits\"");
  if (marks.from > marks.to)
    throw ParameterError("mark_from",
                         fmt::format("marks begin above {} B, where all packets are marked above {} B",
                                     marks.from.count(), marks.to.count()));
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
  if (parameters.lane_arbitration == LaneArbitration::weighted) require_weights(parameters, channels);
  if (parameters.lane_arbitration == LaneArbitration::deficit_round_robin) require_class_weights(parameters);
  require_allocator(parameters);
  require_storms(network, parameters);
  require_shared_buffer(network, parameters, channels);
  require_marks(parameters);
  require_trimming(parameters);
}

}  // namespace morgana::fabric
