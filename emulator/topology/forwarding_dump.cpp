// The forwarding tables of InfiniBand's switches, as ibroute and dump_lfts.sh print them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/topology/network_file.h"

namespace morgana::topology {
namespace {

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

/// What a switch's ports of the file are here.
struct PortsOfSwitch {
  std::map<unsigned, unsigned> trunks;    // as the file numbers them: as the platform does
  std::map<unsigned, std::size_t> hosts;  // as the file numbers them: the host
};

class ForwardingTables {
 public:
  ForwardingTables(const std::string& name, const NetworkFile& network, bool ports_have_numbers)
      : name_(name), ports_(network.switches.size()), network_(network) {
    for (SwitchId at = 0; at < network.switches.size(); ++at) {
      std::string_view guid = network.switches[at];
      if (!guid.starts_with("S-"))
        throw Error(
            fmt::format("{}: forwarding tables are for a network from ibnetdiscover: --network-of names "
                        "another file",
                        name));
      std::uint64_t number = 0;
      std::from_chars(guid.data() + 2, guid.data() + guid.size(), number, 16);
      switches_.emplace(number, at);
    }
    std::vector<unsigned> next(ports_.size());
    for (std::size_t host = 0; host < network.hosts.size(); ++host) {
      const NetworkFile::Host& one = network.hosts[host];
      ports_[one.at.at].hosts.emplace(one.at.port.value_or(0), host);
      if (one.lid) lids_.emplace(*one.lid, host);
      ++next[one.at.at];
    }
    // A switch has its hosts on the first ports, then its trunks in their order.
    for (const NetworkFile::Cable& cable : network.cables)
      for (const NetworkFile::End& end : {cable.a, cable.b}) {
        const unsigned theirs = end.port.value_or(0);
        ports_[end.at].trunks.emplace(theirs, ports_have_numbers ? theirs : next[end.at]++);
      }
  }

  std::vector<std::string> read(std::string_view text) {
    for (line_ = 1; !text.empty(); ++line_) {
      std::string_view here = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(here.size() + 1, text.size()));
      here.remove_prefix(std::min(here.find_first_not_of(" \t\r"), here.size()));
      if (here.starts_with("Unicast lids"))
        begin_switch(here);
      else if (here.starts_with("0x"))
        entry(here);
      else if (!here.empty() && !here.starts_with("Lid") && !here.starts_with("Port") &&
               !here.starts_with("ibwarn") && here.find("lids dumped") == here.npos)
        fail(here, "no line of ibroute's or dump_lfts.sh's output");
    }
    if (tables_ == 0)
      throw Error(fmt::format(
          "{}: no table in it: ibroute writes \"Unicast lids ... of switch ... guid ...\"", name_));
    return std::move(entries_);
  }

 private:
  [[noreturn]] void fail(std::string_view text, const std::string& why) const {
    throw Error(fmt::format("{}:{}: {:?}: {}", name_, line_, text, why));
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
    ++tables_;
  }

  void entry(std::string_view text) {
    const std::string_view whole = text;
    const auto lid = take_number_of(text, 16);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    const auto port = take_number_of(text, 10);
    if (!lid || !port) fail(whole, "a lid and a port are expected, as in \"0x0004 021\"");
    if (!switch_) fail(whole, "no switch before it");
    const auto host = lids_.find(*lid);
    if (host == lids_.end()) return;  // a switch's, or further lids of a host (lmc)
    const PortsOfSwitch& ports = ports_[*switch_];
    if (network_.hosts[host->second].at.at == *switch_) {
      const auto there = ports.hosts.find(static_cast<unsigned>(*port));
      if (there == ports.hosts.end() || there->second != host->second)
        fail(whole,
             fmt::format("{} hangs on this switch by another port", network_.hosts[host->second].name));
      return;
    }
    const auto trunk = ports.trunks.find(static_cast<unsigned>(*port));
    if (trunk == ports.trunks.end())
      fail(whole, fmt::format("port {} of {} leads to no other switch", *port, network_.switches[*switch_]));
    entries_.push_back(fmt::format("host {} over {}.{}", host->second, *switch_, trunk->second));
  }

  const std::string& name_;
  std::vector<PortsOfSwitch> ports_;
  const NetworkFile& network_;
  std::map<std::uint64_t, SwitchId> switches_;  // by guid
  std::map<std::uint64_t, std::size_t> lids_;   // of hosts
  std::optional<SwitchId> switch_;
  std::size_t line_ = 0, tables_ = 0;
  std::vector<std::string> entries_;
};

}  // namespace

std::vector<std::string> read_forwarding_tables(std::string_view text, const std::string& name,
                                                const NetworkFile& network, bool ports_have_numbers) {
  return ForwardingTables(name, network, ports_have_numbers).read(text);
}

}  // namespace morgana::topology
