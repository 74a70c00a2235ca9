#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/topology/listed/network_file.h"

namespace morgana::topology {
namespace {

/// Data rate of a lane, after encoding. Source: InfiniBand Architecture Specification, volume 2.
constexpr std::pair<std::string_view, double> lane_rates[] = {{"SDR", 2},    {"DDR", 4},     {"QDR", 8},
                                                              {"FDR10", 10}, {"FDR", 13.64}, {"EDR", 25},
                                                              {"HDR", 50},   {"NDR", 100},   {"XDR", 200}};

/// A line of a switch's section: [22] "H-0008f10403961354"[1](8f10403961355) # "node 7" lid 4 4xSDR
struct PeerLine {
  unsigned port = 0;
  std::string peer;  // "H-0008f10403961354"
  unsigned peer_port = 0;
  std::string link;
  std::size_t line = 0;
  std::optional<unsigned> lid = {};
};

struct SwitchSection {
  std::string node;  // "S-0008f10400410015"
  std::vector<PeerLine> peers;
  std::optional<unsigned> lid = {};
};

/// A port of a channel adapter.
using AdapterPort = std::pair<std::string, unsigned>;

struct Sections {
  std::vector<SwitchSection> switches;
  std::map<AdapterPort, unsigned> lmc;
};

std::optional<unsigned> take_port(std::string_view& text) {
  const std::size_t open = text.find('['), close = text.find(']', open);
  if (open == text.npos || close == text.npos) return std::nullopt;
  unsigned port = 0;
  const char* const end = text.data() + close;
  const auto [rest, problem] = std::from_chars(text.data() + open + 1, end, port);
  if (problem != std::errc() || rest != end) return std::nullopt;
  text.remove_prefix(close + 1);
  return port;
}

std::optional<std::string> take_quoted(std::string_view& text) {
  const std::size_t open = text.find('"'), close = text.find('"', open + 1);
  if (open == text.npos || close == text.npos) return std::nullopt;
  const std::string quoted(text.substr(open + 1, close - open - 1));
  text.remove_prefix(close + 1);
  return quoted;
}

/// From "4xEDR", wherever it stands behind the comment's name; empty if there is none.
std::string link_of(std::string_view comment) {
  if (const std::size_t name_end = comment.rfind('"'); name_end != comment.npos)
    comment.remove_prefix(name_end + 1);
  for (const auto& [speed, rate] : lane_rates) {
    for (const unsigned width : {1U, 2U, 4U, 8U, 12U}) {
      const std::string word = fmt::format("{}x{}", width, speed);
      const std::size_t at = comment.find(word), after = at + word.size();
      if (at == comment.npos || at == 0 || comment[at - 1] != ' ') continue;
      if (after < comment.size() && std::string_view(" \t\r").find(comment[after]) == std::string_view::npos)
        continue;
      return fmt::format("at {:g} Gb/s", width * rate);
    }
  }
  return {};
}

/// The number behind a word such as " lid "; nothing if there is none.
std::optional<unsigned> number_behind(std::string_view word, std::string_view text) {
  const std::size_t at = text.find(word);
  if (at == text.npos) return std::nullopt;
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data() + at + word.size(), end, number).ec != std::errc()) return std::nullopt;
  return number;
}

/// From "lid 4", behind the comment's name; nothing if there is none.
std::optional<unsigned> lid_of(std::string_view comment) {
  if (const std::size_t name_end = comment.rfind('"'); name_end != comment.npos)
    comment.remove_prefix(name_end + 1);
  return number_behind(" lid ", comment);
}

PeerLine peer_line(std::string_view text, const std::string& name, std::size_t line) {
  const std::string_view whole = text;
  const std::size_t mark = text.find("\t#") != text.npos ? text.find("\t#") : text.find(" #");
  const std::string_view comment = mark == text.npos ? std::string_view() : text.substr(mark);
  text = text.substr(0, mark);
  const auto port = take_port(text);
  const auto node = take_quoted(text);
  const auto peer_port = take_port(text);
  if (!port || !node || !peer_port)
    throw Error(fmt::format("{}:{}: {:?} is not a port of a switch: ibnetdiscover writes [1] \"S-...\"[2]",
                            name, line, whole));
  if (!node->starts_with("S-") && !node->starts_with("H-"))
    throw Error(
        fmt::format("{}:{}: {} is neither a switch (S-...) nor a channel adapter (H-...): leave the line out",
                    name, line, *node));
  return {*port, *node, *peer_port, link_of(comment), line, lid_of(comment)};
}

Sections sections_of(std::string_view text, const std::string& name) {
  Sections found;
  bool in_switch = false;
  std::optional<std::string> adapter;  // whose section this is
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view here = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(here.size() + 1, text.size()));
    if (here.starts_with("Switch")) {
      const auto node = take_quoted(here);
      if (!node) throw Error(fmt::format("{}:{}: a switch without a name in quotes", name, line));
      found.switches.push_back({*node, {}, lid_of(here)});
      in_switch = true;
      adapter.reset();
    } else if (here.starts_with("Ca")) {
      adapter = take_quoted(here);
      in_switch = false;
    } else if (here.starts_with("[")) {
      if (in_switch) found.switches.back().peers.push_back(peer_line(here, name, line));
      // [1](a02) "S-..."[1]  # lid 10 lmc 0 "leaf 1" lid 3 4xEDR
      const auto lmc = number_behind(" lmc ", here);
      if (const auto port = take_port(here); adapter && port && lmc) found.lmc[{*adapter, *port}] = *lmc;
    } else {
      in_switch = false;
      adapter.reset();
    }
  }
  return found;
}

}  // namespace

NetworkFile read_ibnetdiscover(std::string_view text, const std::string& name) {
  const Sections all = sections_of(text, name);
  const std::vector<SwitchSection>& sections = all.switches;
  if (sections.empty()) throw Error(fmt::format("{}: no switches in it", name));
  NetworkFile file;
  std::map<std::string, SwitchId> numbers;
  for (const SwitchSection& one : sections) {
    if (!numbers.emplace(one.node, static_cast<SwitchId>(file.switches.size())).second)
      throw Error(fmt::format("{}: the switch {} stands there twice", name, one.node));
    file.switches.push_back(one.node);
    file.switch_lids.push_back(one.lid);
  }
  using Port = std::pair<SwitchId, unsigned>;
  std::map<Port, Port> far_end;  // of each cable between switches, from both ends
  for (const SwitchSection& one : sections) {
    const SwitchId at = numbers.at(one.node);
    std::vector<PeerLine> peers = one.peers;
    std::ranges::stable_sort(peers, {}, &PeerLine::port);
    for (const PeerLine& peer : peers) {
      if (peer.peer.starts_with("H-")) {
        const auto lmc = all.lmc.find({peer.peer, peer.peer_port});
        file.hosts.push_back({fmt::format("{}[{}]", peer.peer, peer.peer_port),
                              {at, peer.port},
                              peer.link,
                              peer.lid,
                              lmc == all.lmc.end() ? 0 : lmc->second});
        continue;
      }
      const auto other = numbers.find(peer.peer);
      if (other == numbers.end())
        throw Error(
            fmt::format("{}:{}: the switch {} has no section of its own", name, peer.line, peer.peer));
      if (auto& lid = file.switch_lids[other->second]; !lid) lid = peer.lid;
      const Port here{at, peer.port}, there{other->second, peer.peer_port};
      far_end.emplace(here, there);
      if (here < there) {
        file.cables.push_back({{at, peer.port}, {other->second, peer.peer_port}, peer.link});
      } else if (const auto said = far_end.find(there); said == far_end.end() || said->second != here) {
        throw Error(fmt::format("{}:{}: port {} of {} does not lead back: the file is not complete", name,
                                peer.line, peer.peer_port, peer.peer));
      }
    }
  }
  for (const auto& [here, there] : far_end)
    if (!far_end.contains(there))
      throw Error(fmt::format(
          "{}: port {} of {} leads to port {} of {}, which does not lead back: the file is not "
          "complete",
          name, here.second, file.switches[here.first], there.second, file.switches[there.first]));
  return file;
}

}  // namespace morgana::topology
