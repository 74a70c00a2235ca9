// What ranks must agree on: messages have a sender and a receiver, collectives all of their members.

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"

namespace morgana::chakra {
namespace {

/// One end of a message; those of one way and tag are matched in order.
struct MessageEnd {
  std::int32_t from, to;
  std::uint32_t tag;
  std::uint32_t node;
  auto way() const { return std::tuple(from, to, tag); }
};

std::string plural(std::size_t count, const char* word) {
  return fmt::format("{} {}{}", count, word, count == 1 ? "" : "s");
}

}  // namespace

void check_messages(const Trace& trace) {
  std::vector<MessageEnd> sends, receives;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i)
    for (std::uint32_t number = 0; number < trace.ranks[i].nodes.size(); ++number) {
      const Node& node = trace.ranks[i].nodes[number];
      const auto rank = static_cast<std::int32_t>(i);
      if (node.type == NodeType::send) sends.push_back({rank, node.peer, node.tag, number});
      if (node.type == NodeType::receive) receives.push_back({node.peer, rank, node.tag, number});
    }
  std::ranges::stable_sort(sends, {}, &MessageEnd::way);
  std::ranges::stable_sort(receives, {}, &MessageEnd::way);
  std::size_t s = 0, r = 0;
  while (s < sends.size() || r < receives.size()) {
    const bool sent = s < sends.size() && (r == receives.size() || sends[s].way() <= receives[r].way());
    const bool received = r < receives.size() && (s == sends.size() || receives[r].way() <= sends[s].way());
    if (sent && received) {
      ++s;
      ++r;
      continue;
    }
    const MessageEnd& end = sent ? sends[s] : receives[r];
    const auto of_way = [&end](const std::vector<MessageEnd>& all) {
      return static_cast<std::size_t>(std::ranges::count(all, end.way(), &MessageEnd::way));
    };
    const RankTrace& rank = trace.ranks[static_cast<std::size_t>(sent ? end.from : end.to)];
    const std::size_t count = of_way(sent ? sends : receives);
    throw Error(fmt::format(
        "{}: {} with tag {} from rank {} to rank {} {} {} in {}, but {} has {} for {}: a node can "
        "never end",
        where(rank, rank.nodes[end.node]), plural(count, "message"), end.tag, end.from, end.to,
        count == 1 ? "is" : "are", sent ? "sent" : "received", rank.file.filename().string(),
        trace.ranks[static_cast<std::size_t>(sent ? end.to : end.from)].file.filename().string(),
        plural(of_way(sent ? receives : sends), sent ? "COMM_RECV node" : "COMM_SEND node"),
        count == 1 ? "it" : "them"));
  }
}

void match_collectives(Trace& trace) {
  trace.collectives.resize(trace.groups.size());
  // By group: its collectives' nodes at the first member.
  std::vector<std::vector<std::uint32_t>> firsts(trace.groups.size());
  std::vector<std::vector<std::uint32_t>> own(trace.groups.size());
  std::vector<bool> entered(trace.groups.size());
  std::vector<std::size_t> entries(trace.groups.size());
  std::vector<std::int32_t> first_member(trace.groups.size());
  std::size_t other_sizes = 0;
  std::string other_size;
  for (std::size_t i = 0; i < trace.ranks.size(); ++i) {
    const RankTrace& rank = trace.ranks[i];
    std::vector<std::uint32_t> used;
    for (std::uint32_t number = 0; number < rank.nodes.size(); ++number) {
      const Node& node = rank.nodes[number];
      if (node.type != NodeType::collective) continue;
      if (own[node.group].empty()) used.push_back(node.group);
      own[node.group].push_back(number);
    }
    for (const std::uint32_t group : used) {
      std::vector<Collective>& collectives = trace.collectives[group];
      ++entries[group];
      if (!entered[group]) {
        entered[group] = true;
        first_member[group] = static_cast<std::int32_t>(i);
        for (const std::uint32_t number : own[group]) {
          const Node& node = rank.nodes[number];
          collectives.push_back({group, node.collective, node.bytes, node.peer});
        }
        firsts[group] = own[group];
        own[group].clear();
        continue;
      }
      const RankTrace& first = trace.ranks[static_cast<std::size_t>(first_member[group])];
      if (own[group].size() != collectives.size()) {
        const bool more = own[group].size() > collectives.size();
        const std::size_t surplus = std::min(own[group].size(), collectives.size());
        throw Error(
            fmt::format("{}: rank {} carries out {} with its process group{}, but rank {} ({}) {}: the node "
                        "can never end",
                        more ? where(rank, rank.nodes[own[group][surplus]])
                             : where(first, first.nodes[firsts[group][surplus]]),
                        more ? static_cast<std::int32_t>(i) : first_member[group],
                        plural(std::max(own[group].size(), collectives.size()), "collective"),
                        trace.groups[group].name.empty() ? " of all ranks"
                                                         : fmt::format(" \"{}\"", trace.groups[group].name),
                        more ? first_member[group] : static_cast<std::int32_t>(i),
                        (more ? first : rank).file.filename().string(), surplus));
      }
      for (std::size_t k = 0; k < collectives.size(); ++k) {
        const Node& node = rank.nodes[own[group][k]];
        Collective& one = collectives[k];
        const bool same_size = node.bytes == one.bytes || one.type == CollectiveType::all_to_all;
        if (node.collective != one.type || !same_size || node.peer != one.root)
          throw Error(fmt::format(
              "{}: rank {} begins {} of {} B (root {}) as number {} of its process group's collectives, "
              "where rank "
              "{} has {} of {} B (root {}) in node {}: they never meet",
              where(rank, node), i, name_of(node.collective), node.bytes, node.peer, k + 1,
              first_member[group], name_of(one.type), one.bytes, one.root, first.nodes[firsts[group][k]].id));
        if (node.bytes != one.bytes && other_sizes++ == 0) other_size = where(rank, node);
        one.bytes = std::max(one.bytes, node.bytes);
      }
      own[group].clear();
    }
  }
  for (std::size_t group = 0; group < trace.groups.size(); ++group) {
    const std::vector<std::int32_t>& members = trace.groups[group].members;
    if (!entered[group] || entries[group] == members.size()) continue;
    const RankTrace& first = trace.ranks[static_cast<std::size_t>(first_member[group])];
    const auto lacks = std::ranges::find_if(members, [&](std::int32_t member) {
      return std::ranges::none_of(trace.ranks[static_cast<std::size_t>(member)].nodes, [&](const Node& node) {
        return node.type == NodeType::collective && node.group == group;
      });
    });
    throw Error(
        fmt::format("{}: rank {} ({}) has no collective with this process group: the node can never end",
                    where(first, first.nodes[firsts[group].front()]), *lacks,
                    trace.ranks[static_cast<std::size_t>(*lacks)].file.filename().string()));
  }
  if (other_sizes > 0)
    trace.notices.push_back(
        fmt::format("{} of ALL_TO_ALL {} another comm_size than other members': the largest "
                    "counts. The first: {}",
                    other_sizes == 1 ? "1 node" : fmt::format("{} nodes", other_sizes),
                    other_sizes == 1 ? "has" : "have", other_size));
}

}  // namespace morgana::chakra
