#include "emulator/network/myrinet/traffic/cabled.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <system_error>
#include <utility>
#include <vector>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/topology/kinds/cplant.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "emulator/topology/listed/listed.h"
#include "emulator/topology/now.h"

namespace morgana {
namespace {

Error unknown_network(const std::string& text) {
  return Error(
      fmt::format("the network {:?} is not one of torus (torus:4x4x4), express-torus, cplant, now, "
                  "irregular:32, fat-tree:4x2 and a "
                  "list's file (./net.txt)",
                  text));
}

/// "8x8": whole numbers, 1 to 4096, `least` to `most` of them.
std::vector<unsigned> sizes(const std::string& text, std::string_view part, std::size_t least,
                            std::size_t most) {
  constexpr unsigned largest = 4096;
  std::vector<unsigned> numbers;
  const char* at = part.data();
  const char* const end = part.data() + part.size();
  while (at != end) {
    unsigned number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 1 || number > largest) throw unknown_network(text);
    numbers.push_back(number);
    at = next;
    if (at == end) break;
    if (*at != 'x' || ++at == end) throw unknown_network(text);
  }
  if (numbers.size() < least || numbers.size() > most) throw unknown_network(text);
  return numbers;
}

SwitchGraph read_list(const std::string& path) {
  constexpr std::size_t largest_list = 64 * 1024 * 1024;  // there is no network that needs so much
  return topology::listed(read_at_most(path, largest_list, "--network"), path);
}

constexpr std::array route_kinds{
    std::pair{"up-down", RouteKind::up_down}, std::pair{"in-transit", RouteKind::in_transit},
    std::pair{"minimal", RouteKind::minimal}, std::pair{"shortest-up-down", RouteKind::shortest_up_down}};

}  // namespace

SwitchGraph named_network(const std::string& text, std::uint64_t seed) {
  constexpr std::size_t most_dimensions = 6;
  if (text.find('/') != std::string::npos || text.ends_with(".txt")) return read_list(text);
  const std::size_t colon = text.find(':');
  const std::string word = text.substr(0, colon);
  const bool plain = colon == std::string::npos;
  const std::string rest = plain ? "" : text.substr(colon + 1);
  if (word == "cplant" && plain) return topology::cplant();
  if (word == "now" && plain) return topology::now();
  if (word == "torus" || word == "express-torus") {
    topology::TorusShape shape;
    if (!plain) shape.sides = sizes(text, rest, 1, most_dimensions);
    return word == "torus" ? topology::torus(shape) : topology::express_torus(shape);
  }
  if (word == "irregular") return topology::irregular({.switches = sizes(text, rest, 1, 1)[0]}, seed);
  if (word == "fat-tree") {
    const auto numbers = sizes(text, rest, 2, 2);
    return topology::fat_tree({.arity = numbers[0], .levels = numbers[1]});
  }
  throw unknown_network(text);
}

RouteKind parse_route_kind(const std::string& text) {
  for (const auto& [name, kind] : route_kinds)
    if (text == name) return kind;
  throw Error(
      fmt::format("the routes {:?} are not among up-down, in-transit, minimal and shortest-up-down", text));
}

std::string to_text(RouteKind kind) {
  for (const auto& [name, one] : route_kinds)
    if (one == kind) return name;
  return "";
}

RouteTable routes_of(const SwitchGraph& graph, RouteKind kind, std::uint64_t seed, Sharing sharing) {
  const UpDown orientation(graph);
  const ShortestRouteOptions shortest{.sharing = sharing, .seed = seed};
  switch (kind) {
    case RouteKind::up_down:
      return simple_routes(graph, orientation, {.sharing = sharing, .seed = seed});
    case RouteKind::in_transit:
      return in_transit_routes(graph, orientation, shortest);
    case RouteKind::minimal:
      return minimal_routes(graph, shortest);
    case RouteKind::shortest_up_down:
      break;
  }
  return shortest_up_down_routes(graph, orientation, shortest);
}

}  // namespace morgana
