#include "emulator/platform/atm_topology.h"

#include <charconv>
#include <system_error>

#include "emulator/core/quantity.h"

namespace morgana {
namespace {

/// Takes a switch's number from the beginning of a text.
std::uint32_t take_switch(std::string_view& text, const std::string& item, std::uint32_t switches,
                          const char* form) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) throw Error("\"" + item + "\" can't be read; write " + form);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (number < switches) return number;
  throw Error("\"" + item + "\": there is no switch " + std::to_string(number) +
              ", network.switches has them from 0 to " + std::to_string(switches - 1));
}

/// " at RATE over TIME", each of which may be missing.
atm::Link take_link(std::string_view text, const std::string& item, atm::Link link, const char* form) {
  const auto part = [&](std::string_view word, auto parse, auto& value) {
    if (!text.starts_with(word)) return;
    text.remove_prefix(word.size());
    const std::size_t end = std::min(text.find(" over "), text.size());
    value = parse(text.substr(0, end));
    text.remove_prefix(end);
  };
  try {
    part(" at ", parse_bit_rate, link.rate);
    part(" over ", parse_time, link.propagation);
  } catch (const Error& error) {
    throw Error("\"" + item + "\": " + error.what());
  }
  if (!text.empty()) throw Error("\"" + item + "\" can't be read; write " + form);
  return link;
}

atm::Topology::Trunk trunk_of(const std::string& item, const AtmTopologySettings& settings) {
  constexpr const char* form = "two switches' numbers, such as \"0-1\" or \"0-1 at 622.08 Mb/s over 5 us\"";
  std::string_view text = item;
  atm::Topology::Trunk trunk{};
  trunk.a = take_switch(text, item, settings.switches, form);
  if (!text.starts_with("-")) throw Error("\"" + item + "\" can't be read; write " + form);
  text.remove_prefix(1);
  trunk.b = take_switch(text, item, settings.switches, form);
  if (trunk.a == trunk.b) throw Error("\"" + item + "\" leads from a switch to itself");
  trunk.link = take_link(text, item, settings.link, form);
  return trunk;
}

atm::Topology::Access access_of(const std::string& item, const AtmTopologySettings& settings) {
  constexpr const char* form = "a switch's number, such as \"0\" or \"0 at 100 Mb/s over 1 us\"";
  std::string_view text = item;
  const std::uint32_t at = take_switch(text, item, settings.switches, form);
  return {at, take_link(text, item, settings.link, form)};
}

std::vector<atm::Topology::Trunk> trunks_of(const AtmTopologySettings& settings) {
  std::vector<atm::Topology::Trunk> trunks;
  for (const std::string& item : settings.trunks) trunks.push_back(trunk_of(item, settings));
  return trunks;
}

std::vector<atm::Topology::Access> listed_hosts(const AtmTopologySettings& settings) {
  std::vector<atm::Topology::Access> hosts;
  for (const std::string& item : settings.hosts_at) hosts.push_back(access_of(item, settings));
  return hosts;
}

atm::Topology generated(const AtmTopologySettings& settings, std::size_t hosts) {
  switch (settings.shape) {
    case AtmShape::ring:
      return atm::Topology::ring(settings.switches, hosts, settings.link);
    case AtmShape::star:
      return atm::Topology::star(settings.switches, hosts, settings.link);
    case AtmShape::chain:
      return atm::Topology::chain(settings.switches, hosts, settings.link);
    case AtmShape::listed:
      break;
  }
  atm::Topology topology = atm::Topology::chain(settings.switches, hosts, settings.link);
  topology.trunks = trunks_of(settings);
  return topology;
}

/// Switches that hosts can't reach each other from; nothing if there are none.
std::optional<std::pair<std::uint32_t, std::uint32_t>> missing_way(const atm::Topology& topology) {
  const atm::Routes routes(topology);
  for (const atm::Topology::Access& host : topology.hosts) {
    const std::uint32_t first = topology.hosts.front().at;
    if (host.at != first && routes.trunk(first, host.at) == atm::Routes::none) return {{first, host.at}};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Complaint> check(const AtmTopologySettings& settings) {
  const char* key = "network.trunks";
  if (settings.shape != AtmShape::listed && !settings.trunks.empty())
    return Complaint{key, "trunks are listed only where network.topology = \"listed\""};
  try {
    trunks_of(settings);
    key = "network.hosts-at";
    listed_hosts(settings);
  } catch (const Error& error) {
    return Complaint{key, error.what()};
  }
  // Spread hosts may hang on every switch.
  const std::size_t hosts = settings.hosts_at.empty() ? settings.switches : settings.hosts_at.size();
  const auto missing = missing_way(topology_of(settings, hosts));
  if (!missing) return std::nullopt;
  const auto [from, to] = *missing;
  return Complaint{"network.trunks", "no trunks lead from switch " + std::to_string(from) + " to switch " +
                                         std::to_string(to) +
                                         ", and hosts hang on both: add one, such as \"" +
                                         std::to_string(from) + "-" + std::to_string(to) + "\""};
}

atm::Topology topology_of(const AtmTopologySettings& settings, std::size_t hosts) {
  atm::Topology topology = generated(settings, hosts);
  if (settings.hosts_at.empty()) return topology;
  if (settings.hosts_at.size() < hosts)
    throw Error("host " + std::to_string(settings.hosts_at.size()) +
                " hangs on no switch: network.hosts-at says where for " +
                std::to_string(settings.hosts_at.size()) + " hosts, but " + std::to_string(hosts) +
                " are needed; add the others");
  topology.hosts = listed_hosts(settings);
  return topology;
}

}  // namespace morgana
