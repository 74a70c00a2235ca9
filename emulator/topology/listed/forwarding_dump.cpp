// The forwarding tables of InfiniBand's switches, as ibroute and dump_lfts.sh print them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/topology/listed/network_file.h"

namespace morgana::topology {
namespace {

constexpr std::string_view blanks_of_dump = " \t\r";

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks_of_dump), text.size()));
}

/// Takes a number from the beginning of `text`, "0x..." if of base 16.
std::optional<std::uint64_t> take_number_of(std::string_view& text, int base) {
  if (base == 16) {
    if (!text.starts_with("0x")) return std::nullopt;
    text.remove_prefix(2);
  }
  std::uint64_t number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (problem != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  return number;
}

/// The words of a line, one blank between each two.
std::string joined_words(std::string_view text) {
  std::string words;
  for (skip_blanks(text); !text.empty(); skip_blanks(text)) {
    const std::string_view word = text.substr(0, text.find_first_of(blanks_of_dump));
    text.remove_prefix(word.size());
    if (!words.empty()) words += ' ';
    words += word;
  }
  return words;
}

/// Lines that are no entries: the heading of a table's columns, its end, and ibroute's warnings.
bool says_nothing(std::string_view text) {
  if (text.starts_with("ibwarn:")) return true;
  const std::string words = joined_words(text);
  if (words.empty() || words == "Lid Out Destination" || words == "Port Info") return true;
  std::string_view end = words;
  return take_number_of(end, 10) && (end == " valid lids dumped" || end == " lids dumped");
}

/// Lids of InfiniBand's nodes; the others belong to nobody or to multicast groups.
constexpr std::uint64_t last_unicast_lid = 0xBFFF;
/// Where a table has no way: ibroute prints it with the option -a only.
constexpr std::uint64_t no_port = 255;

/// A port that leads to another switch.
struct TrunkPort {
  unsigned number = 0;  // as the platform numbers it
  SwitchId to = 0;
};

/// What a switch's ports of the file are here, as the file numbers them.
struct PortsOfSwitch {
  std::map<unsigned, TrunkPort> trunks;
  std::map<unsigned, std::size_t> hosts;
};

class ForwardingTables {
 public:
  ForwardingTables(const std::string& name, const NetworkFile& network, bool ports_have_numbers)
      : name_(name), network_(network), ports_(network.switches.size()), tables_(network.switches.size()) {
    for (SwitchId at = 0; at < network.switches.size(); ++at) {
      std::string_view guid = network.switches[at];
      if (!guid.starts_with("S-"))
        throw Error(
            fmt::format("{}: forwarding tables are for a network from ibnetdiscover: --network-of names "
                        "another file",
                        name));
      guid.remove_prefix(2);
      std::uint64_t number = 0;
      const auto [rest, problem] = std::from_chars(guid.data(), guid.data() + guid.size(), number, 16);
      if (problem != std::errc() || rest != guid.data() + guid.size())
        throw Error(
            fmt::format("{}: the network's switch {} has no guid: it is written as in S-0008f10400410015",
                        name, network.switches[at]));
      switches_.emplace(number, at);
    }
    std::vector<unsigned> next(ports_.size());
    for (std::size_t host = 0; host < network.hosts.size(); ++host) {
      const NetworkFile::Host& one = network.hosts[host];
      ports_[one.at.at].hosts.emplace(one.at.port.value_or(0), host);
      ++next[one.at.at];
    }
    // A switch has its hosts on the first ports, then its trunks in their order.
    const auto trunk = [&](const NetworkFile::End& from, SwitchId to) {
      const unsigned theirs = from.port.value_or(0);
      ports_[from.at].trunks.emplace(theirs, TrunkPort{ports_have_numbers ? theirs : next[from.at]++, to});
    };
    for (const NetworkFile::Cable& cable : network.cables) {
      trunk(cable.a, cable.b.at);
      trunk(cable.b, cable.a.at);
    }
    own_lids();
  }

  std::vector<std::string> read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      std::string_view here = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(here.size() + 1, text.size()));
      skip_blanks(here);
      while (here.ends_with('\r')) here.remove_suffix(1);
      if (here.starts_with("Unicast lids"))
        begin_switch(here);
      else if (here.starts_with("0x"))
        entry(here);
      else if (!says_nothing(here))
        fail(here, "no line of ibroute's or dump_lfts.sh's output");
    }
    if (!switch_)
      throw Error(fmt::format(
          "{}: no table in it: ibroute writes \"Unicast lids ... of switch ... guid ...\"", name_));
    for (std::size_t host = 0; host < network_.hosts.size(); ++host) follow(host);
    return std::move(entries_);
  }

 private:
  /// Whose a lid is.
  struct Owner {
    std::string name;
    std::optional<std::size_t> host = {};  // if it is a host's first one
  };
  /// Of a switch.
  struct Table {
    std::size_t line = 0;                        // where it begins; 0: there is none
    std::map<std::uint64_t, std::size_t> lines;  // of entries, by lid
    std::map<std::size_t, SwitchId> next;        // by host
  };

  [[noreturn]] void fail(std::string_view text, const std::string& why) const {
    throw Error(fmt::format("{}:{}: {:?}: {}", name_, line_, text, why));
  }

  void own(std::uint64_t lid, Owner owner) {
    const auto [known, is_new] = owners_.emplace(lid, std::move(owner));
    if (!is_new && known->second.name != owner.name)
      throw Error(fmt::format("{}: in the network of --network-of the lid 0x{:04x} is that of {} and of {}",
                              name_, lid, known->second.name, owner.name));
  }

  void own_lids() {
    for (SwitchId at = 0; at < network_.switch_lids.size(); ++at)
      if (network_.switch_lids[at]) own(*network_.switch_lids[at], {network_.switches[at]});
    for (std::size_t host = 0; host < network_.hosts.size(); ++host) {
      const NetworkFile::Host& one = network_.hosts[host];
      if (!one.lid)
        throw Error(
            fmt::format("{}: in the network of --network-of host {} has no lid, by which tables name it: "
                        "ibnetdiscover writes it behind the comment's name, as in # \"node1\" lid 10 4xEDR",
                        name_, one.name));
      own(*one.lid, {one.name, host});
      for (unsigned further = 1; further < 1U << std::min(one.lmc, 7U); ++further)
        own(*one.lid + further, {one.name});
    }
  }

  void begin_switch(std::string_view text) {
    const std::string_view whole = text;
    const std::size_t at = text.find(" guid ");
    text.remove_prefix(at == text.npos ? text.size() : at + 6);
    const auto guid = take_number_of(text, 16);
    if (!guid) fail(whole, "the switch's guid is missing");
    const auto known = switches_.find(*guid);
    if (known == switches_.end()) fail(whole, "the network has no switch with this guid");
    switch_ = known->second;
    if (tables_[*switch_].line > 0)
      fail(whole, fmt::format("{} has a table already, from line {} on", network_.switches[*switch_],
                              tables_[*switch_].line));
    tables_[*switch_].line = line_;
  }

  void entry(std::string_view text) {
    const std::string_view whole = text;
    const auto lid = take_number_of(text, 16);
    const bool apart = lid && text.find_first_of(blanks_of_dump) == 0;
    skip_blanks(text);
    const auto port = take_number_of(text, 10);
    if (!apart || !port || (!text.empty() && blanks_of_dump.find(text.front()) == blanks_of_dump.npos))
      fail(whole, "a lid and a port are expected, as in \"0x0004 021\"");
    if (*lid == 0 || *lid > last_unicast_lid || *port > no_port)
      fail(whole, fmt::format("lids are 0x0001 to 0x{:04X}, and ports 0 to {}", last_unicast_lid, no_port));
    if (!switch_) fail(whole, "no switch before it");
    Table& table = tables_[*switch_];
    if (const auto [known, is_new] = table.lines.emplace(*lid, line_); !is_new)
      fail(whole, fmt::format("{} has an entry for this lid already, in line {}", network_.switches[*switch_],
                              known->second));
    const auto owner = owners_.find(*lid);
    if (owner == owners_.end())
      fail(whole,
           "this lid is nobody's in the network of --network-of: take both files at the same time, or leave "
           "the line out");
    if (!owner->second.host || *port == no_port) return;
    const std::size_t host = *owner->second.host;
    const PortsOfSwitch& ports = ports_[*switch_];
    if (network_.hosts[host].at.at == *switch_) {
      const auto there = ports.hosts.find(static_cast<unsigned>(*port));
      if (there == ports.hosts.end() || there->second != host)
        fail(whole, fmt::format("{} hangs on this switch by another port", network_.hosts[host].name));
      return;
    }
    const auto trunk = ports.trunks.find(static_cast<unsigned>(*port));
    if (trunk == ports.trunks.end())
      fail(whole, fmt::format("port {} of {} leads to no other switch", *port, network_.switches[*switch_]));
    table.next.emplace(host, trunk->second.to);
    entries_.push_back(fmt::format("host {} over {}.{}", host, *switch_, trunk->second.number));
  }

  /// Whether ways lead to a host from all switches that have hosts. @throws Error if they don't
  void follow(std::size_t host) const {
    const NetworkFile::Host& to = network_.hosts[host];
    std::vector<bool> leads_there(tables_.size());
    leads_there[to.at.at] = true;
    for (const NetworkFile::Host& from : network_.hosts) {
      std::vector<SwitchId> way;
      for (SwitchId at = from.at.at; !leads_there[at]; at = tables_[at].next.at(host)) {
        const std::string& here = network_.switches[at];
        if (tables_[at].line == 0)
          throw Error(fmt::format(
              "{}: {} has no table, and packets from {} to {} come there: have all switches' tables "
              "printed",
              name_, here, from.name, to.name));
        if (!tables_[at].next.contains(host))
          throw Error(
              fmt::format("{}:{}: the table of {} has no way to lid 0x{:04x} ({}), and packets from {} need "
                          "one",
                          name_, tables_[at].line, here, *to.lid, to.name, from.name));
        if (std::ranges::find(way, at) != way.end())
          throw Error(fmt::format("{}:{}: packets from {} to lid 0x{:04x} ({}) come to {} again and again",
                                  name_, tables_[at].lines.at(*to.lid), from.name, *to.lid, to.name, here));
        way.push_back(at);
      }
      for (const SwitchId at : way) leads_there[at] = true;
    }
  }

  const std::string& name_;
  const NetworkFile& network_;
  std::vector<PortsOfSwitch> ports_;
  std::vector<Table> tables_;                   // by switch
  std::map<std::uint64_t, SwitchId> switches_;  // by guid
  std::map<std::uint64_t, Owner> owners_;       // by lid
  std::optional<SwitchId> switch_;
  std::size_t line_ = 0;
  std::vector<std::string> entries_;
};

}  // namespace

std::vector<std::string> read_forwarding_tables(std::string_view text, const std::string& name,
                                                const NetworkFile& network, bool ports_have_numbers) {
  return ForwardingTables(name, network, ports_have_numbers).read(text);
}

}  // namespace morgana::topology
