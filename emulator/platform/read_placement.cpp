// Placements as --map says them: rules, or a list of hosts in a file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <system_error>

#include "emulator/core/quantity.h"
#include "emulator/platform/library.h"
#include "emulator/platform/platform.h"
#include "emulator/topology/network_topology.h"

namespace morgana {
namespace {

struct PlacementRule {
  std::string_view name;
  Placement::Kind kind;
  bool racks = false;
};

constexpr std::array rules{PlacementRule{"block", Placement::Kind::block},
                           PlacementRule{"cyclic", Placement::Kind::cyclic},
                           PlacementRule{"spread", Placement::Kind::spread},
                           PlacementRule{"random", Placement::Kind::random},
                           PlacementRule{"by-group", Placement::Kind::by_group},
                           PlacementRule{"by-rack", Placement::Kind::by_group, true},
                           PlacementRule{"over-groups", Placement::Kind::over_groups},
                           PlacementRule{"over-racks", Placement::Kind::over_groups, true}};

std::optional<std::uint64_t> whole(const std::string& text) {
  try {
    return static_cast<std::uint64_t>(parse_count(text, ""));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// A rule, with what stands behind its colons; nothing for other texts.
std::optional<Placement> placement_by_rule(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const auto* const rule = std::ranges::find(rules, name, &PlacementRule::name);
  if (rule == rules.end()) return std::nullopt;
  Placement placement;
  placement.kind = rule->kind;
  placement.racks = rule->racks;
  if (colon == std::string::npos) return placement;
  std::string rest = text.substr(colon + 1);
  if (rule->kind == Placement::Kind::random) {
    const std::size_t next = rest.find(':');
    const auto seed = whole(rest.substr(0, next));
    if (!seed)
      throw Error(fmt::format(
          "--map {}: {:?} is not a seed; write a whole number, such as random:7, or random:7:4 for "
          "4 ranks per host",
          text, rest.substr(0, next)));
    placement.seed = *seed;
    if (next == std::string::npos) return placement;
    rest = rest.substr(next + 1);
  }
  const auto number = whole(rest);
  if (!number || *number < 1)
    throw Error(fmt::format("--map {}: {:?} is not a number of ranks per host; write 1 or more, such as {}:4",
                            text, rest, rule->kind == Placement::Kind::random ? "random:7" : name));
  placement.per_host = *number;
  return placement;
}

}  // namespace

const std::vector<std::string>& placement_rules() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const PlacementRule& rule : rules) all.emplace_back(rule.name);
    return all;
  }();
  return names;
}

std::string name_of(const Placement& placement) {
  if (placement.kind == Placement::Kind::random) return fmt::format("random:{}", placement.seed);
  for (const PlacementRule& rule : rules)
    if (rule.kind == placement.kind && rule.racks == placement.racks) return std::string(rule.name);
  return placement.origin;
}

Placement read_placement(const std::string& text) {
  if (const std::optional<Placement> placement = placement_by_rule(text)) return *placement;
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored))
    throw Error(
        fmt::format("--map {}: that is not one of {}, and there is no such file; give one of these, or a "
                    "file with a host number per line",
                    text, fmt::join(placement_rules(), ", ")));
  Placement placement{Placement::Kind::listed, {}, text};
  const std::string content = read_text(text, "");
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < content.size(); ++number) {
    const std::size_t end = std::min(content.find('\n', begin), content.size());
    std::string line = content.substr(begin, end - begin);
    begin = end + 1;
    line.erase(std::min(line.find('#'), line.size()));
    const bool blank = std::all_of(line.begin(), line.end(), [](unsigned char c) { return std::isspace(c); });
    if (blank) continue;
    while (std::isspace(static_cast<unsigned char>(line.back()))) line.pop_back();
    const auto refuse = [&](const std::string& why) {
      throw Error(text + ":" + std::to_string(number) + ": " + why +
                  "; write one host number a line, for rank 0, 1, and so on, counted from 0");
    };
    std::int64_t host = 0;
    try {
      host = parse_count(line, "");
    } catch (const Error&) {
      refuse("\"" + line.substr(0, 40) + "\" is not a host number");
    }
    if (host >= std::int64_t{most_hosts})
      refuse("host " + std::to_string(host) + " is out of range, the last is 65535");
    placement.hosts.push_back(static_cast<std::uint32_t>(host));
  }
  if (placement.hosts.empty())
    throw Error(text + ": it places no rank; write one host number a line, for rank 0, 1, and so on");
  return placement;
}

}  // namespace morgana
