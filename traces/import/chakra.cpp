#include "traces/import/chakra.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>

#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"

namespace morgana::chakra {
namespace {

std::span<const std::uint64_t> part_of(const std::vector<std::uint64_t>& all, std::size_t begin,
                                       std::size_t end) {
  return std::span(all).subspan(begin, end - begin);
}

std::string raw_text(const RawRank& raw, std::size_t node) {
  const std::uint64_t id = raw.nodes[node].node.id;
  return node_text(raw.file, id, name_in(raw.file, id));
}

/// Takes groups and their members to numbers.
class GroupNumbers {
 public:
  GroupNumbers(Trace& trace, const FileSet& files) : trace_(trace) {
    ProcessGroup all;
    all.members.resize(trace.ranks.size());
    std::iota(all.members.begin(), all.members.end(), 0);
    trace.groups.push_back(std::move(all));
    if (files.groups) {
      common_ = read_group_file(*files.groups);
    }
  }

  /// @throws Error without a place
  std::uint32_t number_of(const RawRank& raw, std::int32_t rank, const std::string& name) {
    if (name.empty()) return all_ranks;
    const std::vector<std::int32_t>* members = nullptr;
    if (const auto own = raw.groups.find(name); own != raw.groups.end())
      members = &own->second;
    else if (const auto common = common_.find(name); common != common_.end())
      members = &common->second;
    if (members == nullptr)
      throw Error(
          fmt::format("its process group \"{}\" is defined nowhere: name its ranks in NAME.json next "
                      "to NAME.0.et, such as {{\"{}\": [0, 1]}}",
                      name, name));
    // A copy: adding a group moves those that are there.
    const std::vector<std::int32_t> own = members->empty() ? trace_.groups[all_ranks].members : *members;
    const auto [place, fresh] =
        numbers_.try_emplace({name, own}, static_cast<std::uint32_t>(trace_.groups.size()));
    if (fresh) {
      check(name, own);
      trace_.groups.push_back({name, own});
    }
    if (std::ranges::find(own, rank) == own.end())
      throw Error(fmt::format("its process group \"{}\" does not hold rank {}", name, rank));
    return place->second;
  }

 private:
  void check(const std::string& name, std::vector<std::int32_t> order) const {
    std::ranges::sort(order);
    if (const auto twice = std::ranges::adjacent_find(order); twice != order.end())
      throw Error(fmt::format("its process group \"{}\" names rank {} twice", name, *twice));
    if (std::cmp_greater_equal(order.back(), trace_.ranks.size()))
      throw Error(fmt::format(
          "its process group \"{}\" has rank {}, but there {} of {} rank{}; give each rank a file", name,
          order.back(), trace_.ranks.size() == 1 ? "is a file" : "are files", trace_.ranks.size(),
          trace_.ranks.size() == 1 ? "" : "s"));
  }

  Trace& trace_;
  Groups common_;
  std::map<std::pair<std::string, std::vector<std::int32_t>>, std::uint32_t> numbers_;
};

/// Peers and groups of a rank.
void settle(const Trace& trace, RawRank& raw, std::int32_t rank, GroupNumbers& groups) {
  for (std::size_t i = 0; i < raw.nodes.size(); ++i) {
    RawNode& one = raw.nodes[i];
    Node& node = one.node;
    try {
      if ((node.type == NodeType::send || node.type == NodeType::receive) &&
          std::cmp_greater_equal(node.peer, trace.ranks.size()))
        throw Error(fmt::format(
            "it {} rank {}, but there {}", node.type == NodeType::send ? "sends to" : "receives from",
            node.peer,
            trace.ranks.size() == 1
                ? std::string("is a file of rank 0 only; give each rank a file")
                : fmt::format("are files of ranks 0 to {}; give each rank a file", trace.ranks.size() - 1)));
      if (node.type != NodeType::collective) continue;
      node.group = groups.number_of(raw, rank, one.group);
      if (node.group == all_ranks && trace.ranks.size() == 1)
        throw Error(
            fmt::format("its {} is one of all ranks, but there is a file of rank 0 only; give each rank "
                        "a file (copies or links, if all do the same)",
                        name_of(node.collective)));
      const std::vector<std::int32_t>& members = trace.groups[node.group].members;
      if (!one.has_root)
        node.peer = members.front();
      else if (std::ranges::find(members, node.peer) == members.end())
        throw Error(fmt::format("its comm_src, rank {}, is not in its process group", node.peer));
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", raw_text(raw, i), error.what()));
    }
  }
}

}  // namespace

std::optional<std::uint64_t> put_in_order(const RawRank& raw, bool with_ctrl, RankTrace& to,
                                          std::uint64_t& unknown_ctrl, std::vector<std::uint32_t>& places) {
  const std::size_t count = raw.nodes.size();
  std::unordered_map<std::uint64_t, std::uint32_t> by_id;
  by_id.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i)
    if (!by_id.emplace(raw.nodes[i].node.id, i).second)
      throw Error(fmt::format("{}: another node has this id, too", raw_text(raw, i)));
  // What each node waits for, and who follows it.
  std::vector<std::uint32_t> first_need{0}, needs, missing(count), followers, first_follower(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const RawNode& one = raw.nodes[i];
    const bool last = i + 1 == count;
    for (const std::uint64_t id :
         part_of(raw.data, one.first_data, last ? raw.data.size() : raw.nodes[i + 1].first_data)) {
      const auto found = by_id.find(id);
      if (found == by_id.end())
        throw Error(
            fmt::format("{}: its data_deps name node {}, which the file does not have; the node can "
                        "never start",
                        raw_text(raw, i), id));
      needs.push_back(found->second);
    }
    if (with_ctrl)
      for (const std::uint64_t id :
           part_of(raw.ctrl, one.first_ctrl, last ? raw.ctrl.size() : raw.nodes[i + 1].first_ctrl)) {
        const auto found = by_id.find(id);
        if (found == by_id.end())
          ++unknown_ctrl;
        else
          needs.push_back(found->second);
      }
    const auto own = needs.begin() + first_need.back();
    std::sort(own, needs.end());
    needs.erase(std::unique(own, needs.end()), needs.end());
    missing[i] = static_cast<std::uint32_t>(needs.size()) - first_need.back();
    for (std::size_t need = first_need.back(); need < needs.size(); ++need) ++first_follower[needs[need]];
    first_need.push_back(static_cast<std::uint32_t>(needs.size()));
  }
  std::uint32_t place = 0;
  for (std::uint32_t& first : first_follower) first = place += first;
  followers.resize(needs.size());
  for (std::uint32_t i = 0; i < count; ++i)
    for (std::uint32_t need = first_need[i]; need < first_need[i + 1]; ++need)
      followers[--first_follower[needs[need]]] = i;
  // Of those whose needs have places the least id is next.
  using Next = std::pair<std::uint64_t, std::uint32_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
  for (std::uint32_t i = 0; i < count; ++i)
    if (missing[i] == 0) ready.emplace(raw.nodes[i].node.id, i);
  to.file = raw.file;
  to.nodes.clear();
  to.needs.clear();
  places.assign(count, 0);
  while (!ready.empty()) {
    const std::uint32_t i = ready.top().second;
    ready.pop();
    places[i] = static_cast<std::uint32_t>(to.nodes.size());
    Node node = raw.nodes[i].node;
    node.first_need = static_cast<std::uint32_t>(to.needs.size());
    node.needs = first_need[i + 1] - first_need[i];
    for (std::uint32_t need = first_need[i]; need < first_need[i + 1]; ++need)
      to.needs.push_back(places[needs[need]]);
    to.nodes.push_back(node);
    for (std::uint32_t follower = first_follower[i]; follower < first_follower[i + 1]; ++follower)
      if (--missing[followers[follower]] == 0)
        ready.emplace(raw.nodes[followers[follower]].node.id, followers[follower]);
  }
  if (to.nodes.size() == count) return std::nullopt;
  // Each that is left waits for another one that is left: whoever goes from one to the next comes round.
  auto node = static_cast<std::uint32_t>(
      std::ranges::find_if(missing, [](std::uint32_t left) { return left > 0; }) - missing.begin());
  const auto one_that_it_waits_for = [&](std::uint32_t of) {
    std::uint32_t need = first_need[of];
    while (missing[needs[need]] == 0) ++need;
    return needs[need];
  };
  for (std::size_t i = 0; i < count; ++i) node = one_that_it_waits_for(node);
  std::uint64_t least = raw.nodes[node].node.id;
  for (std::uint32_t next = one_that_it_waits_for(node); next != node; next = one_that_it_waits_for(next))
    least = std::min(least, raw.nodes[next].node.id);
  return least;
}

std::shared_ptr<const Trace> read(const std::filesystem::path& name,
                                  const std::function<void(double)>& progress) {
  const std::optional<FileSet> files = files_of(name);
  if (!files)
    throw Error(fmt::format("{}: there are no such execution traces: give NAME of NAME.0.et, NAME.1.et, ...",
                            name.string()));
  auto trace = std::make_shared<Trace>();
  trace->name = name;
  trace->ranks.resize(files->ranks.size());
  GroupNumbers groups(*trace, *files);
  std::vector<RawRank> raws;
  for (std::size_t i = 0; i < files->ranks.size(); ++i) {
    raws.push_back(read_rank(files->ranks[i], [&](double share) {
      if (progress) progress((static_cast<double>(i) + share) / static_cast<double>(files->ranks.size()));
    }));
    settle(*trace, raws.back(), static_cast<std::int32_t>(i), groups);
  }
  std::uint64_t unknown_ctrl = 0;
  std::vector<std::uint32_t> places;
  std::string call_stack;
  for (std::size_t i = 0; i < raws.size() && call_stack.empty(); ++i)
    if (const auto cycle = put_in_order(raws[i], true, trace->ranks[i], unknown_ctrl, places))
      call_stack = node_text(raws[i].file, *cycle, name_in(raws[i].file, *cycle));
  if (!call_stack.empty()) {
    unknown_ctrl = 0;
    for (std::size_t i = 0; i < raws.size(); ++i)
      if (const auto cycle = put_in_order(raws[i], false, trace->ranks[i], unknown_ctrl, places))
        throw Error(fmt::format(
            "{}: it waits, perhaps by way of others, for itself (data_deps); the node can never start",
            node_text(raws[i].file, *cycle, name_in(raws[i].file, *cycle))));
    trace->notices.push_back(fmt::format(
        "ctrl_deps are left out, only data_deps count: with both, {} waits for itself, so ctrl_deps "
        "are call stacks, as PyTorch's are",
        call_stack));
  } else if (unknown_ctrl > 0) {
    trace->notices.push_back(fmt::format("{} ctrl_dep{} left out: the files do not have their nodes",
                                         unknown_ctrl, unknown_ctrl == 1 ? " is" : "s are"));
  }
  check_messages(*trace);
  match_collectives(*trace);
  return trace;
}

}  // namespace morgana::chakra
