#include "emulator/network/logp/logp_network.h"

#include <limits>

namespace morgana {

LogpNetwork::LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters)
    : ports_(events, ports, parameters, *this) {}

Bytes LogpNetwork::largest_unit() const {
  return Bytes(std::numeric_limits<std::int64_t>::max());
}

SimTime LogpNetwork::least_latency() const {
  return parameters().latency;
}

PortTimes LogpNetwork::port_times(Bytes size) const {
  const SimTime transfer = parameters().transfer_of(size);
  return {transfer, time_before_end(transfer + parameters().gap), parameters().latency_of(size)};
}

void LogpNetwork::inject(const Unit& unit) {
  ports_.inject(unit.id, unit.from, unit.to, unit.size);
}

}  // namespace morgana
