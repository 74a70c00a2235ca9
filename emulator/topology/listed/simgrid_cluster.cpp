// A cluster of SimGrid's platform files: what its documentation's "<cluster>" and its zones FatTreeZone,
// TorusZone, DragonflyZone and StarZone make of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/topology/listed/network_file.h"

namespace morgana::topology {
namespace {

std::string trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Of the first number in a text; nothing if there is none. The rest of the text follows it at once.
struct NumberAndUnit {
  double number = 0;
  std::string unit;
};
std::optional<NumberAndUnit> number_and_unit(const std::string& text) {
  NumberAndUnit found;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), found.number);
  if (problem != std::errc() || !std::isfinite(found.number) || found.number < 0) return std::nullopt;
  found.unit = std::string_view(rest, text.data() + text.size());
  return found;
}

/// What "k", "Ki" and so on stand for; 0: unknown.
double prefix_value(std::string_view prefix) {
  if (prefix.empty()) return 1;
  const bool binary = prefix.size() == 2 && prefix[1] == 'i';
  const std::size_t at = std::string_view(binary ? "KMGTP" : "kMGTP").find(prefix.front());
  if (at == std::string_view::npos || prefix.size() != (binary ? 2U : 1U)) return 0;
  return std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(at + 1));
}

/// One <cluster> and where it stands.
class Cluster {
 public:
  Cluster(const pugi::xml_node& element, std::string where) : element_(element), where_(std::move(where)) {
    constexpr std::array known{
        "id",           "prefix",       "suffix",         "radical",  "speed",           "core",
        "bw",           "lat",          "sharing_policy", "topology", "topo_parameters", "loopback_bw",
        "loopback_lat", "limiter_link", "router_id"};
    for (const pugi::xml_attribute& one : element_.attributes()) {
      require_printable(one.name(), one.value());
      if (element_.attribute(one.name()) != one) fail(fmt::format("{} stands there twice", one.name()));
      if (std::ranges::find(known, std::string_view(one.name())) == known.end())
        fail(fmt::format("{} is not understood{}", one.name(),
                         std::string_view(one.name()).starts_with("bb_")
                             ? ": a backbone that all hosts share is not a cable of a switch"
                             : ""));
    }
  }

  NetworkFile read() {
    const std::string policy = text("sharing_policy", "SPLITDUPLEX");
    if (policy != "SPLITDUPLEX" && policy != "FULLDUPLEX")
      fail(fmt::format(
          "sharing_policy=\"{}\": cables here are full duplex (SPLITDUPLEX): their two directions "
          "share nothing, and each is shared by all messages in it",
          policy));
    hosts_ = hosts();
    rate_ = bandwidth("bw");
    latency_ = seconds("lat");
    if (has("limiter_link")) limiter_ = bandwidth("limiter_link");
    const std::string topology = text("topology", "FLAT");
    if (topology == "FLAT")
      flat();
    else if (topology == "FAT_TREE")
      fat_tree();
    else if (topology == "TORUS")
      torus();
    else if (topology == "DRAGONFLY")
      dragonfly();
    else
      fail(fmt::format("topology=\"{}\" is not understood: FLAT, FAT_TREE, TORUS and DRAGONFLY are",
                       topology));
    notes();
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(fmt::format("{}: <cluster>: {}", where_, why));
  }
  /// What is written here may be said in the platform, on one line.
  void require_printable(const std::string& name, std::string_view value) const {
    const auto is_control = [](char letter) { return (letter >= 0 && letter < ' ') || letter == '\x7F'; };
    if (std::ranges::any_of(value, is_control))
      fail(fmt::format("{}={:?} has a control character in it", name, value));
  }
  bool has(const char* name) const { return !element_.attribute(name).empty(); }
  std::string text(const char* name, const char* otherwise = nullptr) const {
    if (!has(name) && otherwise == nullptr) fail(fmt::format("{} is missing", name));
    return trimmed(element_.attribute(name).as_string(otherwise == nullptr ? "" : otherwise));
  }

  /// In bits per second.
  double bandwidth(const char* name) const {
    const auto found = number_and_unit(text(name));
    if (found) {
      std::string_view unit = found->unit.empty() ? std::string_view("Bps") : found->unit;
      const double bits = unit.ends_with("Bps") ? 8 : unit.ends_with("bps") ? 1 : 0;
      unit.remove_suffix(std::min<std::size_t>(3, unit.size()));
      const double rate = found->number * bits * prefix_value(unit);
      if (rate >= 1 && rate <= 1e15) return rate;
    }
    fail(fmt::format("{}=\"{}\" is not a bandwidth: write \"125MBps\", \"128KiBps\" or \"1Gbps\"", name,
                     text(name)));
  }

  double seconds(const char* name) const {
    constexpr std::array units{std::pair{"", 1.0},    std::pair{"s", 1.0},   std::pair{"ms", 1e-3},
                               std::pair{"us", 1e-6}, std::pair{"ns", 1e-9}, std::pair{"ps", 1e-12}};
    if (const auto found = number_and_unit(text(name)))
      for (const auto& [unit, value] : units)
        if (found->unit == unit && found->number * value < 1) return found->number * value;
    fail(fmt::format("{}=\"{}\" is not a latency of less than a second: write \"50us\"", name, text(name)));
  }

  unsigned whole(const std::string& word, unsigned least, const char* in) const {
    unsigned number = 0;
    const auto [rest, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
    constexpr unsigned most = 65'536;
    if (problem != std::errc() || rest != word.data() + word.size() || number < least || number > most)
      fail(fmt::format("{}=\"{}\": \"{}\" is not a number from {} to {}", in, text(in), word, least, most));
    return number;
  }
  std::vector<unsigned> numbers(const std::string& list) const {
    std::vector<unsigned> all;
    for (const std::string& word : split(list, ',')) all.push_back(whole(word, 1, "topo_parameters"));
    return all;
  }

  /// How many hosts "0-7,9" names.
  std::size_t hosts() const {
    std::vector<bool> named;
    for (const std::string& part : split(text("radical"), ',')) {
      const std::vector<std::string> ends = split(part, '-');
      const unsigned first = whole(ends.front(), 0, "radical"), last = whole(ends.back(), 0, "radical");
      if (ends.size() > 2 || last < first)
        fail(fmt::format("radical=\"{}\": \"{}\" is not a range of numbers", text("radical"), part));
      named.resize(std::max<std::size_t>(named.size(), last + 1));
      for (unsigned host = first; host <= last; ++host) {
        if (named[host]) fail(fmt::format("radical=\"{}\" names {} twice", text("radical"), host));
        named[host] = true;
      }
    }
    return static_cast<std::size_t>(std::ranges::count(named, true));
  }
  void require_hosts(std::uint64_t needed) const {
    if (needed != hosts_)
      fail(fmt::format("topo_parameters=\"{}\" has {} hosts, and radical=\"{}\" names {}",
                       text("topo_parameters"), needed, text("radical"), hosts_));
  }

  static std::string rate_text(double bits_per_second) {
    return fmt::format("{} b/s", static_cast<std::int64_t>(std::llround(bits_per_second)));
  }
  /// Cables take at least a picosecond.
  static std::string time_text(double seconds) {
    return fmt::format("{} ps", std::max<std::int64_t>(1, std::llround(seconds * 1e12)));
  }
  std::string link(double rate) const {
    return fmt::format("at {} over {}", rate_text(rate), time_text(latency_));
  }
  void refuse_limiter(const char* why) const {
    if (limiter_ > 0)
      fail(fmt::format("limiter_link: {}; a limit of what a whole switch carries is not modelled", why));
  }
  double host_rate() const { return limiter_ > 0 ? std::min(limiter_, rate_) : rate_; }
  void key(const char* name, const std::string& value) { file_.keys.emplace_back(name, value); }
  static std::string quoted(const std::string& value) { return fmt::format("\"{}\"", value); }

  void links_of(double hosts, double trunks, double host_latency) {
    key("rate", quoted(rate_text(hosts)));
    key("propagation", quoted(time_text(host_latency)));
    key("trunk-rate", quoted(rate_text(trunks)));
  }

  void flat() {
    key("topology", quoted("chain"));
    key("switches", "1");
    key("hosts-per-switch", fmt::format("{}", hosts_));
    links_of(host_rate(), rate_, latency_);
  }

  /// "2;4,4;1,2;1,2": levels; children; parents; parallel cables, from the hosts' level up.
  void fat_tree() {
    const std::vector<std::string> parts = split(text("topo_parameters"), ';');
    if (parts.size() != 4)
      fail(
          fmt::format("topo_parameters=\"{}\": write levels;children;parents;cables, as in \"2;4,4;1,2;1,2\"",
                      text("topo_parameters")));
    const unsigned levels = whole(parts[0], 1, "topo_parameters");
    const std::vector<unsigned> children = numbers(parts[1]), parents = numbers(parts[2]),
                                cables = numbers(parts[3]);
    for (const auto* list : {&children, &parents, &cables})
      if (list->size() != levels)
        fail(fmt::format("topo_parameters=\"{}\": lists of {} levels have {} numbers",
                         text("topo_parameters"), levels, levels));
    if (parents[0] != 1 || cables[0] != 1)
      fail(fmt::format("topo_parameters=\"{}\": a host has {} cables to its switches; here it has one",
                       text("topo_parameters"), parents[0] * cables[0]));
    refuse_limiter("in a fat tree each switch has one, too");
    std::uint64_t hosts = 1;
    for (const unsigned count : children) hosts = std::min<std::uint64_t>(hosts * count, 1'000'000);
    require_hosts(hosts);
    if (levels == 1) return flat();
    const auto upper = [](const std::vector<unsigned>& list) {
      return quoted(fmt::format("{}", fmt::join(list.begin() + 1, list.end(), ", ")));
    };
    key("topology", quoted("xgft"));
    key("hosts-per-switch", fmt::format("{}", children[0]));
    key("children", upper(children));
    key("parents", upper(parents));
    key("parallel-cables", upper(cables));
    file_.routes = "d-mod-k";
    if (std::ranges::any_of(cables, [](unsigned count) { return count > 1; }))
      file_.notes.push_back(
          "routes there take parallel cables in another order, on the way down by the source");
    links_of(rate_, rate_, latency_);
  }

  /// "4,4,4". Its hosts are the switches: what a host sends is bounded by its cables alone.
  void torus() {
    refuse_limiter("in a torus messages cross that of each host on their way");
    const std::vector<unsigned> sides = numbers(text("topo_parameters"));
    std::uint64_t hosts = 1;
    std::size_t cables = 0;
    std::vector<std::string> tiers;
    for (std::size_t n = 0; n < sides.size(); ++n) {
      hosts = std::min<std::uint64_t>(hosts * sides[n], 1'000'000);
      if (sides[n] == 1) continue;
      cables += sides[n] == 2 ? 1 : 2;  // of two cables, SimGrid's routes take one
      tiers.push_back(quoted(fmt::format("dimension {} {}", n + 1, link(rate_))));
    }
    require_hosts(hosts);
    if (tiers.empty()) fail("a torus of one host has no cable");
    key("topology", quoted("torus"));
    key("sides", quoted(fmt::format("{}", fmt::join(sides, ", "))));
    key("hosts-per-switch", "1");
    links_of(rate_ * static_cast<double>(cables), rate_, 0);
    key("tiers", fmt::format("[{}]", fmt::join(tiers, ", ")));
    file_.routes = "dimension-order";
    file_.notes.push_back(
        "a host has no link of its own there: here it is as fast as all cables of its switch, and takes 1 "
        "ps");
  }

  /// "3,4;3,2;3,1;2": groups, chassis, routers, each with cables between two; hosts of a router.
  void dragonfly() {
    refuse_limiter("in a dragonfly each router has one, too");
    const std::vector<std::string> parts = split(text("topo_parameters"), ';');
    std::vector<std::vector<unsigned>> levels;
    for (const std::string& part : parts) levels.push_back(numbers(part));
    if (levels.size() != 4 || levels[0].size() != 2 || levels[1].size() != 2 || levels[2].size() != 2 ||
        levels[3].size() != 1)
      fail(fmt::format(
          "topo_parameters=\"{}\": write groups,cables;chassis,cables;routers,cables;hosts, as in "
          "\"3,4;3,2;3,1;2\"",
          text("topo_parameters")));
    const std::uint64_t groups = levels[0][0], chassis = levels[1][0], routers = levels[2][0],
                        hosts = levels[3][0];
    if (groups > routers)
      fail(
          fmt::format("topo_parameters=\"{}\": router n of a group's first chassis leads to group n, and {} "
                      "routers are fewer than {} groups",
                      text("topo_parameters"), routers, groups));
    constexpr std::uint64_t most = 16'384;
    if (chassis * routers > most || groups * chassis * routers > most)
      fail(fmt::format("topo_parameters=\"{}\" has more than {} routers", text("topo_parameters"), most));
    require_hosts(groups * chassis * routers * hosts);
    const auto number = [&](std::uint64_t group, std::uint64_t in, std::uint64_t router) {
      return static_cast<SwitchId>((group * chassis + in) * routers + router);
    };
    const auto cable = [&](SwitchId a, SwitchId b, unsigned cables) {
      file_.cables.push_back({{a, {}}, {b, {}}, link(rate_ * cables)});
    };
    for (std::uint64_t group = 0; group < groups; ++group)
      for (std::uint64_t in = 0; in < chassis; ++in)
        for (std::uint64_t router = 0; router < routers; ++router) {
          file_.switches.push_back(fmt::format("group {} chassis {} router {}", group, in, router));
          const SwitchId here = number(group, in, router);
          for (std::uint64_t host = 0; host < hosts; ++host)
            file_.hosts.push_back({fmt::format("rank {}", file_.hosts.size()), {here, {}}, link(rate_)});
          for (std::uint64_t other = router + 1; other < routers; ++other)
            cable(here, number(group, in, other), levels[2][1]);
          for (std::uint64_t other = in + 1; other < chassis; ++other)
            cable(here, number(group, other, router), levels[1][1]);
          if (in == 0 && router > group && router < groups)
            cable(here, number(router, 0, group), levels[0][1]);
        }
    file_.routes = "dfsssp";
    file_.notes.push_back("parallel cables are one of their rates' sum, as there");
    file_.notes.push_back(
        "routes there lead over one way between two routers; dfsssp takes the fewest cables, which may be "
        "another one");
  }

  void notes() {
    file_.processors = has("core") ? whole(text("core"), 1, "core") : 0;
    file_.notes.push_back(fmt::format(
        "speed=\"{}\" is not taken over: computing takes what a run measures, times hosts.compute-scale",
        text("speed")));
    for (const char* name : {"loopback_bw", "loopback_lat"})
      if (has(name))
        file_.notes.push_back(
            fmt::format("{}=\"{}\" is not taken over: ranks of one host send through its memory ([messages])",
                        name, text(name)));
    if (std::llround(latency_ * 1e12) < 1)
      file_.notes.push_back(
          fmt::format("lat=\"{}\" is 1 ps here, the least that a cable takes", text("lat")));
    if (limiter_ > 0)
      file_.notes.push_back(
          "limiter_link is the rate of a host's link in each direction; there both share it");
    for (const pugi::xml_node& property : element_.children("prop")) {
      require_printable("id", property.attribute("id").as_string());
      file_.notes.push_back(fmt::format("prop {} is not taken over", property.attribute("id").as_string()));
    }
  }

  pugi::xml_node element_;
  std::string where_;
  std::size_t hosts_ = 0;
  double rate_ = 0, latency_ = 0, limiter_ = 0;  // bits per second, seconds; 0: no limiter
  NetworkFile file_;
};

/// Finds the cluster of a file.
class PlatformElements {
 public:
  PlatformElements(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  NetworkFile read() {
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(text_.data(), text_.size());
    if (!result)
      throw Error(fmt::format("{}: not well-formed XML ({})", line_at(result.offset),
                              result.status == pugi::status_end_element_mismatch
                                  ? "a closing tag does not match"
                                  : result.description()));
    const pugi::xml_node platform = document.document_element();
    if (std::string_view(platform.name()) != "platform")
      refuse(platform, "a platform of SimGrid begins with it");
    const std::string version = platform.attribute("version").as_string();
    if (version != "4" && version != "4.1")
      throw Error(
          fmt::format("{}: <platform version=\"{}\">: versions 4 and 4.1 are understood; SimGrid's "
                      "simgrid_update_xml makes one of an older file",
                      line_of(platform), version));
    look_into(platform, 0);
    if (!cluster_) throw Error(fmt::format("{}: no <cluster> in it", name_));
    return Cluster(cluster_, line_of(cluster_)).read();
  }

 private:
  std::string line_at(std::ptrdiff_t offset) const {
    const auto before = text_.substr(0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, offset)));
    return fmt::format("{}:{}", name_, 1 + std::ranges::count(before, '\n'));
  }
  std::string line_of(const pugi::xml_node& element) const { return line_at(element.offset_debug()); }
  [[noreturn]] void refuse(const pugi::xml_node& element, const char* why) const {
    throw Error(fmt::format("{}: <{}> is not understood: {}", line_of(element), element.name(), why));
  }

  void look_into(const pugi::xml_node& parent, unsigned depth) {
    constexpr unsigned deepest = 64;
    for (const pugi::xml_node& element : parent.children()) {
      if (element.type() != pugi::node_element) continue;
      const std::string_view kind = element.name();
      if (kind == "zone") {
        if (depth == deepest)
          throw Error(fmt::format("{}: <zone>: {} others are round it, and no more are followed",
                                  line_of(element), deepest));
        look_into(element, depth + 1);
      } else if (kind != "cluster") {
        refuse(element, "one <cluster> is read, in <zone>s or not, and nothing beside it");
      } else if (cluster_) {
        refuse(element, "there is a <cluster> before it, and one is read");
      } else {
        cluster_ = element;
        for (const pugi::xml_node& inner : element.children())
          if (inner.type() == pugi::node_element && std::string_view(inner.name()) != "prop")
            refuse(inner, "a <cluster> has <prop>s only");
      }
    }
  }

  std::string_view text_;
  const std::string& name_;
  pugi::xml_node cluster_;
};

}  // namespace

NetworkFile read_simgrid_cluster(std::string_view text, const std::string& name) {
  return PlatformElements(text, name).read();
}

}  // namespace morgana::topology
