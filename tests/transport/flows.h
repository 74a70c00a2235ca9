#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/time.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/transport/transport.h"

namespace morgana::testing {

struct Flow {
  std::uint32_t from = 0, to = 0;
};

/// Messages that all begin at time 0, one for each flow, until their last acknowledgements have come.
template <class Transport, class Parameters>
class Flows : private ShipmentListener {
 public:
  Flows(EventQueue& events, FabricNetwork& network, std::size_t hosts, const Parameters& parameters,
        const std::vector<Flow>& flows, Bytes each)
      : events_(events), transport_(events, network, hosts, parameters), completed_(flows.size()) {
    for (std::size_t number = 0; number < flows.size(); ++number)
      transport_.send({.id = {number, this},
                       .from = HostId{flows[number].from},
                       .to = HostId{flows[number].to},
                       .bytes = each,
                       .verb = transport_.remote_memory() ? Verb::write : Verb::send,
                       .completes = true});
    while (!events.empty()) events.handle_next();
  }

  const Transport& transport() const { return transport_; }
  /// When each flow's last acknowledgement came, in us, sorted.
  std::vector<double> completions() const {
    std::vector<double> all;
    for (const SimTime at : completed_) all.push_back(at.seconds() * 1e6);
    std::sort(all.begin(), all.end());
    return all;
  }
  double mean() const {
    const std::vector<double> all = completions();
    return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
  }

 private:
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override {}
  void shipment_completed(MessageId id) override { completed_[id.number] = events_.now(); }
  void shipment_lost(MessageId) override { FAIL(); }
  void shipment_returned(MessageId, Outcome) override { FAIL(); }

  EventQueue& events_;
  Transport transport_;
  std::vector<SimTime> completed_;
};

}  // namespace morgana::testing
