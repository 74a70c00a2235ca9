#include "experiments/modern/loaded_networks.h"

#include <fmt/format.h>

#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "emulator/traffic/network_traffic.h"

namespace morgana::modern_papers {
namespace {

constexpr const char* base = "dragonfly-1056";
constexpr Bytes packet{320};
constexpr double bytes_per_ns = 32, cycle_ns = 10;

LoadedNetwork with_packets_of_a_cycle(std::string name, const std::string& pattern, double load,
                                      unsigned buffered_packets) {
  const std::int64_t buffer = buffered_packets * packet.count();
  return {std::move(name),
          {"network.rate=256 Gb/s", "network.ejection-rate=unlimited", "network.switch-latency=20 ns",
           "network.header=0 B", "transport.path-mtu=256 B", fmt::format("network.mtu={} B", packet.count()),
           fmt::format("network.credit-unit={} B", packet.count()),
           fmt::format("network.buffer={} B", buffer), fmt::format("network.host-buffer={} B", buffer)},
          pattern,
          load};
}

}  // namespace

LoadedNetwork dragonfly(const std::string& routes, const std::string& pattern, double load,
                        unsigned buffered_packets) {
  LoadedNetwork network = with_packets_of_a_cycle(
      fmt::format("dragonfly, {}, {} at {}, buffers of {} packets", routes, pattern, load, buffered_packets),
      pattern, load, buffered_packets);
  network.overrides.insert(network.overrides.end(),
                           {"network.propagation=100 ns", "network.tiers=between groups over 1 us",
                            "network.detour-places=all", "network.routes=" + routes});
  return network;
}

LoadedNetwork flattened_butterfly(const std::string& routes, const std::string& pattern, double load) {
  constexpr unsigned buffered_packets = 32;
  LoadedNetwork network =
      with_packets_of_a_cycle(fmt::format("flattened butterfly, {}, {} at {}", routes, pattern, load),
                              pattern, load, buffered_packets);
  network.overrides.insert(
      network.overrides.end(),
      {"network.topology=hyperx", "network.sides=32", "network.hosts-per-switch=32 hosts",
       "network.propagation=10 ns", "network.tiers=", "network.routes=" + routes});
  return network;
}

RunOutcome under_load(const LoadedNetwork& network, std::uint64_t seed) {
  const Platform platform = Platform::load(base, network.overrides);
  const PlatformNetwork cabled(platform);
  const NetworkUnderTest under_test{
      [&cabled](EventQueue& events, std::uint64_t of_network) { return cabled.make(events, of_network); },
      cabled.graph().hosts(), cabled.graph().switches()};
  TrafficSettings settings;
  settings.length = packet;
  settings.process = TrafficSettings::Process::exponential;
  settings.messages = settings.warm_up = network.packets;
  settings.seed = seed;
  const Destinations destinations(parse_pattern(network.pattern), cabled.graph(), seed);
  const double load = network.load * bytes_per_ns * under_test.hosts_per_switch();
  const NetworkTraffic traffic = measure_network(under_test, destinations, load, settings);
  RunOutcome outcome;
  outcome.figures["accepted"] = traffic.result.accepted.mean / bytes_per_ns;
  outcome.figures["latency"] = traffic.result.latency.mean / cycle_ns;
  return outcome;
}

}  // namespace morgana::modern_papers
