#include "emulator/traffic/pattern.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/topology/distances.h"

namespace morgana {
namespace {

using Kind = TrafficPattern::Kind;

Error unknown_pattern(const std::string& text) {
  return Error(
      fmt::format("the traffic pattern {:?} is none of uniform, bit-reversal, hotspot:5% (hotspot:5%@17: "
                  "host 17) and local:3 "
                  "(local:3-1: at most 3 - 1 cables)",
                  text));
}

std::uint32_t number_in(const std::string& text, std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) throw unknown_pattern(text);
  return number;
}

TrafficPattern parse_hotspot(const std::string& text, const std::string& rest) {
  TrafficPattern pattern{.kind = Kind::hotspot};
  const std::size_t at = rest.find('@');
  pattern.share = parse_share(rest.substr(0, at));
  if (pattern.share <= 0 || pattern.share > 1) {
    throw Error(
        fmt::format("the traffic pattern {:?}: a hot host's share is more than 0 and at most 100 %", text));
  }
  if (at != std::string::npos) pattern.hot_host = number_in(text, rest.substr(at + 1));
  return pattern;
}

TrafficPattern parse_local(const std::string& text, const std::string& rest) {
  TrafficPattern pattern{.kind = Kind::local};
  const std::size_t minus = rest.find('-');
  pattern.reach = number_in(text, rest.substr(0, minus));
  if (minus != std::string::npos) pattern.reach_less_cables = number_in(text, rest.substr(minus + 1));
  if (pattern.reach < pattern.reach_less_cables) {
    throw Error(fmt::format("the traffic pattern {:?}: {} switches less {} are no distance; say a larger one",
                            text, pattern.reach, pattern.reach_less_cables));
  }
  return pattern;
}

HostNumber reversed(HostNumber host, unsigned bits) {
  HostNumber result = 0;
  for (unsigned bit = 0; bit < bits; ++bit) result |= (host >> bit & 1u) << (bits - 1 - bit);
  return result;
}

}  // namespace

TrafficPattern parse_pattern(const std::string& text) {
  if (text == "uniform") return {};
  if (text == "bit-reversal") return {.kind = Kind::bit_reversal};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw unknown_pattern(text);
  const std::string word = text.substr(0, colon), rest = text.substr(colon + 1);
  if (word == "hotspot") return parse_hotspot(text, rest);
  if (word == "local") return parse_local(text, rest);
  throw unknown_pattern(text);
}

std::string to_text(const TrafficPattern& pattern) {
  switch (pattern.kind) {
    case Kind::uniform:
      return "uniform";
    case Kind::bit_reversal:
      return "bit-reversal";
    case Kind::hotspot:
      return fmt::format("hotspot:{:g}%{}", 100 * pattern.share,
                         pattern.hot_host ? fmt::format("@{}", *pattern.hot_host) : "");
    case Kind::local:
      break;
  }
  constexpr unsigned usual = TrafficPattern().reach_less_cables;
  return fmt::format("local:{}", pattern.reach) +
         (pattern.reach_less_cables == usual ? "" : fmt::format("-{}", pattern.reach_less_cables));
}

Destinations::Destinations(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed)
    : pattern_(pattern), hosts_(hosts) {
  if (pattern.kind == Kind::local) {
    throw Error(
        "local traffic takes a network of switches, whose distances are known: choose another pattern");
  }
  settle(seed);
}

Destinations::Destinations(const TrafficPattern& pattern, const SwitchGraph& graph, std::uint64_t seed)
    : pattern_(pattern), hosts_(graph.hosts()) {
  settle(seed);
  if (pattern.kind != Kind::local) return;
  const Distances distances = minimal_distances(graph);
  const unsigned reach = pattern.reach - pattern.reach_less_cables;
  near_.resize(graph.switches());
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    for (HostNumber host = 0; host < hosts_; ++host)
      if (distances(at, graph.port_of(host).at) <= reach) near_[at].push_back(host);
  }
  place_.resize(hosts_);
  for (HostNumber host = 0; host < hosts_; ++host) {
    switch_of_.push_back(graph.port_of(host).at);
    const auto& near = near_[switch_of_[host]];
    while (near[place_[host]] != host) ++place_[host];
    if (near.size() < 2) {
      throw Error(
          fmt::format("no other host is within {} cables of host {}: choose a larger distance than {}", reach,
                      host, to_text(pattern)));
    }
  }
}

void Destinations::settle(std::uint64_t seed) {
  if (hosts_ < 2)
    throw Error(fmt::format("traffic takes at least two hosts, and the network has {}", hosts_));
  if (pattern_.kind == Kind::bit_reversal) {
    if (!std::has_single_bit(hosts_)) {
      throw Error(
          fmt::format("bit reversal takes a power of two of hosts, and the network has {}: choose another "
                      "pattern",
                      hosts_));
    }
    bits_ = static_cast<unsigned>(std::countr_zero(hosts_));
  }
  if (pattern_.kind == Kind::hotspot) {
    hot_host_ =
        pattern_.hot_host.value_or(static_cast<HostNumber>(RandomStream(seed, "hot host").below(hosts_)));
    if (hot_host_ >= hosts_) {
      throw Error(
          fmt::format("the network has no host {} to be hot, only {} numbered from 0", hot_host_, hosts_));
    }
  }
}

bool Destinations::sends(HostNumber from) const {
  return pattern_.kind != Kind::bit_reversal || reversed(from, bits_) != from;
}

HostNumber Destinations::anyone_else(HostNumber from, RandomStream& random) const {
  const auto drawn = static_cast<HostNumber>(random.below(hosts_ - 1));
  return drawn < from ? drawn : drawn + 1;
}

HostNumber Destinations::draw(HostNumber from, RandomStream& random) const {
  switch (pattern_.kind) {
    case Kind::bit_reversal:
      return reversed(from, bits_);
    case Kind::hotspot:
      return from != hot_host_ && random.chance(pattern_.share) ? hot_host_ : anyone_else(from, random);
    case Kind::local: {
      const auto& near = near_[switch_of_[from]];
      const std::size_t drawn = random.below(near.size() - 1);
      return near[drawn < place_[from] ? drawn : drawn + 1];
    }
    case Kind::uniform:
      break;
  }
  return anyone_else(from, random);
}

}  // namespace morgana
