#include "emulator/traffic/permutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"

namespace morgana {
namespace {

using Permutation = std::vector<HostNumber>;
using Kind = TrafficPattern::Kind;

Permutation by_bit_reversal(std::size_t hosts) {
  if (!std::has_single_bit(hosts)) {
    throw Error(fmt::format(
        "bit reversal takes a power of two of hosts, and the network has {}: choose another pattern", hosts));
  }
  const auto bits = static_cast<unsigned>(std::countr_zero(hosts));
  Permutation to(hosts);
  for (HostNumber host = 0; host < hosts; ++host)
    for (unsigned bit = 0; bit < bits; ++bit) to[host] |= (host >> bit & 1u) << (bits - 1 - bit);
  return to;
}

Permutation by_transposition(std::size_t hosts) {
  const auto side = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(hosts))));
  if (side * side != hosts) {
    throw Error(
        fmt::format("transpose takes a square number of hosts, such as 16, and the network has {}: choose "
                    "another pattern",
                    hosts));
  }
  Permutation to(hosts);
  for (std::size_t host = 0; host < hosts; ++host)
    to[host] = static_cast<HostNumber>(host % side * side + host / side);
  return to;
}

/// Every digit of a host's number moves as far as `steps(side)` says.
template <typename Steps>
Permutation by_digits(const TrafficPattern& pattern, std::size_t hosts, Steps steps) {
  std::vector<std::size_t> sides(pattern.sides.begin(), pattern.sides.end());
  if (sides.empty()) sides.push_back(hosts);
  std::size_t points = 1;
  for (const std::size_t side : sides) points *= std::min(side, hosts + 1);
  if (points > hosts || hosts % points != 0) {
    throw Error(fmt::format(
        "the traffic pattern {} takes a multiple of {} hosts, and the network has {}: give it other "
        "sides",
        to_text(pattern), points, hosts));
  }
  const std::size_t block = hosts / points;
  Permutation to(hosts);
  for (std::size_t host = 0; host < hosts; ++host) {
    std::size_t there = host % block, stride = block, rest = host / block;
    for (const std::size_t side : sides) {
      there += (rest % side + steps(side)) % side * stride;
      rest /= side;
      stride *= side;
    }
    to[host] = static_cast<HostNumber>(there);
  }
  return to;
}

/// Each permutation in which nobody has itself is equally likely: some e are drawn before one is.
Permutation by_chance(std::size_t hosts, std::uint64_t seed) {
  RandomStream random(seed, "traffic permutation");
  Permutation to(hosts);
  const auto fixes_some = [&] {
    for (HostNumber host = 0; host < hosts; ++host)
      if (to[host] == host) return true;
    return false;
  };
  std::iota(to.begin(), to.end(), HostNumber{0});
  do {
    for (std::size_t left = hosts; left > 1; --left) std::swap(to[left - 1], to[random.below(left)]);
  } while (fixes_some());
  return to;
}

Permutation from_file(const std::string& file, std::size_t hosts) {
  constexpr std::size_t largest_file = 16 * 1024 * 1024;
  const std::string text = read_at_most(file, largest_file, "--pattern permutation");
  Permutation to;
  std::vector<bool> met(hosts);
  std::size_t line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view word = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (const std::size_t blank = word.find_last_not_of(" \t\r"); blank == std::string_view::npos)
      continue;
    else
      word = word.substr(0, blank + 1);
    HostNumber host = 0;
    const auto [rest, problem] = std::from_chars(word.data(), word.data() + word.size(), host);
    if (problem != std::errc() || rest != word.data() + word.size())
      throw Error(fmt::format("{}:{}: {:?} is not a host's number: write one a line", file, line, word));
    if (host >= hosts)
      throw Error(
          fmt::format("{}:{}: the network has no host {}, only {} numbered from 0", file, line, host, hosts));
    if (met[host]) throw Error(fmt::format("{}:{}: host {} is a destination twice", file, line, host));
    met[host] = true;
    to.push_back(host);
  }
  if (to.size() != hosts)
    throw Error(fmt::format("{}: destinations of {} hosts, and the network has {}: write one a line for each",
                            file, to.size(), hosts));
  return to;
}

}  // namespace

std::vector<HostNumber> permutation_of(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed) {
  switch (pattern.kind) {
    case Kind::bit_reversal:
      return by_bit_reversal(hosts);
    case Kind::bit_complement: {
      Permutation to(hosts);
      for (std::size_t host = 0; host < hosts; ++host) to[host] = static_cast<HostNumber>(hosts - 1 - host);
      return to;
    }
    case Kind::transpose:
      return by_transposition(hosts);
    case Kind::tornado:
      return by_digits(pattern, hosts, [](std::size_t side) { return (side + 1) / 2 - 1; });
    case Kind::neighbour:
      return by_digits(pattern, hosts, [](std::size_t) { return std::size_t{1}; });
    case Kind::random_permutation:
      return by_chance(hosts, seed);
    case Kind::permutation:
      return from_file(pattern.file, hosts);
    case Kind::uniform:
    case Kind::hotspot:
    case Kind::local:
    case Kind::next_group:
    case Kind::group_to_group:
    case Kind::incast:
    case Kind::all_to_all:
      break;
  }
  return {};
}

}  // namespace morgana
