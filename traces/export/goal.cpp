#include "traces/export/goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "traces/import/goal_form.h"

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");

namespace morgana {
namespace {

std::int64_t whole_ns(const GraphNode& node) {
  return node.amount / 1000;
}

/// In the order of txt2bin.
std::vector<std::uint32_t> ascending(std::span<const std::uint32_t> nodes) {
  std::vector<std::uint32_t> all(nodes.begin(), nodes.end());
  std::ranges::sort(all);
  return all;
}

void append_line(std::string& text, std::uint32_t number, const GraphNode& node) {
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "l{}: ", number + 1);
  if (node.kind == GraphNode::Kind::compute) {
    fmt::format_to(out, "calc {}", whole_ns(node));
  } else {
    const bool sends = node.kind == GraphNode::Kind::send;
    fmt::format_to(out, "{} {}b {} {} tag ", sends ? "send" : "recv", node.amount, sends ? "to" : "from",
                   static_cast<std::int32_t>(node.peer));
    if (node.tag == any_tag)
      text += "-1";
    else
      fmt::format_to(out, "{}", static_cast<std::uint32_t>(node.tag));
  }
  if (node.cpu > 0) fmt::format_to(out, " cpu {}", node.cpu);
  if (node.nic > 0) fmt::format_to(out, " nic {}", node.nic);
  text += '\n';
}

class BinaryWriter {
 public:
  explicit BinaryWriter(const DependencyGraph& graph) : graph_(graph) {}
  std::string write() {
    put(goal::magic);
    put(static_cast<std::uint32_t>(graph_.ranks()));
    put(static_cast<std::uint8_t>(graph_.cpus() - 1));
    put(static_cast<std::uint8_t>(graph_.nics() - 1));
    const std::size_t table = out_.size();
    out_.append(graph_.ranks() * 2 * sizeof(std::uint64_t), '\0');
    for (std::size_t rank = 0; rank < graph_.ranks(); ++rank) {
      const std::uint64_t begin = out_.size() - sizeof goal::magic;
      put_rank(graph_.rank(rank));
      const std::uint64_t places[] = {begin, out_.size() - sizeof goal::magic};
      std::memcpy(out_.data() + table + rank * sizeof places, places, sizeof places);
    }
    return std::move(out_);
  }

 private:
  template <class Number>
  void put(Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out_.append(bytes, sizeof number);
  }
  void put_rank(const RankGraph& rank) {
    const std::span<const GraphNode> nodes = rank.nodes();
    std::vector<std::uint32_t> roots;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].waits_for == 0) roots.push_back(i);
    put(static_cast<std::uint32_t>(nodes.size()));
    put(static_cast<std::uint32_t>(roots.size()));
    for (const std::uint32_t root : roots) put(root);
    waiting_.clear();
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      put_node(nodes[i]);
      put_waiting(ascending(rank.wait_for_end(i)));
      put_waiting(ascending(rank.wait_for_start(i)));
    }
    for (const std::uint32_t one : waiting_) put(one);
  }
  void put_node(const GraphNode& node) {
    constexpr std::uint8_t send = 1, receive = 2, calculation = 3;
    const bool computes = node.kind == GraphNode::Kind::compute;
    put(node.waits_for);
    put(computes ? calculation : node.kind == GraphNode::Kind::send ? send : receive);
    put(computes ? 0U : static_cast<std::uint32_t>(node.peer));
    put(static_cast<std::uint64_t>(computes ? whole_ns(node) : node.amount));
    put(computes ? 0U : static_cast<std::uint32_t>(node.tag));
    put(static_cast<std::uint8_t>(node.cpu));
    put(node.nic);
  }
  void put_waiting(std::span<const std::uint32_t> nodes) {
    put(static_cast<std::uint32_t>(nodes.size()));
    put(static_cast<std::uint32_t>(waiting_.size()));
    waiting_.insert(waiting_.end(), nodes.begin(), nodes.end());
  }

  const DependencyGraph& graph_;
  std::string out_;
  std::vector<std::uint32_t> waiting_;
};

}  // namespace

std::string goal_text(const DependencyGraph& graph) {
  std::string text = fmt::format("num_ranks {}\n", graph.ranks());
  const auto out = std::back_inserter(text);
  for (std::size_t rank = 0; rank < graph.ranks(); ++rank) {
    const RankGraph& of_rank = graph.rank(rank);
    const auto nodes = static_cast<std::uint32_t>(of_rank.nodes().size());
    fmt::format_to(out, "\nrank {} {{\n", rank);
    for (std::uint32_t node = 0; node < nodes; ++node) append_line(text, node, of_rank.nodes()[node]);
    for (std::uint32_t node = 0; node < nodes; ++node) {
      for (const std::uint32_t one : ascending(of_rank.wait_for_end(node)))
        fmt::format_to(out, "l{} requires l{}\n", one + 1, node + 1);
      for (const std::uint32_t one : ascending(of_rank.wait_for_start(node)))
        fmt::format_to(out, "l{} irequires l{}\n", one + 1, node + 1);
    }
    text += "}\n";
  }
  return text;
}

std::string goal_binary(const DependencyGraph& graph) {
  return BinaryWriter(graph).write();
}

}  // namespace morgana
