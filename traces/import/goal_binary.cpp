#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include "emulator/core/error.h"
#include "traces/import/goal_form.h"

static_assert(std::endian::native == std::endian::little, "numbers are read as they stand");

namespace morgana::goal {
namespace {

/// Little-endian numbers one behind the other; places count from behind the magic number.
class Bytewise {
 public:
  Bytewise(const MappedText& file, std::size_t begin, std::size_t end) : file_(file), at_(begin), end_(end) {}

  template <class Number>
  Number take() {
    if (end_ - at_ < sizeof(Number)) cut_off();
    Number number{};
    std::memcpy(&number, file_.text().data() + at_, sizeof number);
    at_ += sizeof number;
    return number;
  }
  void skip(std::uint64_t bytes) {
    if (end_ - at_ < bytes) cut_off();
    at_ += bytes;
  }
  std::size_t at() const { return at_; }
  std::size_t left() const { return end_ - at_; }

 private:
  [[noreturn]] void cut_off() const {
    throw Error(fmt::format("{}: cut off or damaged at byte {}: make it again with txt2bin",
                            file_.file().string(), at_));
  }
  const MappedText& file_;
  std::size_t at_, end_;
};

class BinaryReader {
 public:
  explicit BinaryReader(MappedText& file) : file_(file) {}
  std::vector<RankGraph> read(const Progress& progress);

 private:
  RankGraph read_rank(std::size_t rank, std::size_t begin, std::size_t end);
  void read_node(Bytewise& bytes, std::size_t rank, std::uint32_t number);
  [[noreturn]] void refuse(std::size_t rank, const std::string& what) const {
    throw Error(fmt::format("{}: rank {}: {}", file_.file().string(), rank, what));
  }
  [[noreturn]] void refuse(std::size_t rank, std::uint32_t node, const std::string& what) const {
    refuse(rank, fmt::format("node {}: {}", node, what));
  }

  /// Where the nodes that wait for a node stand behind the rank's nodes.
  struct Waiting {
    std::uint32_t depends_on, ends, first_end, starts, first_start;
  };
  MappedText& file_;
  std::size_t ranks_ = 0;
  RankGraphBuilder builder_;
  std::vector<Waiting> waiting_;
};

std::vector<RankGraph> BinaryReader::read(const Progress& progress) {
  constexpr std::size_t origin = sizeof magic;
  Bytewise head(file_, origin, file_.text().size());
  const auto ranks = head.take<std::uint32_t>();
  head.skip(2);  // the largest numbers of CPU and NIC
  if (ranks == 0 || ranks > most_ranks)
    throw Error(fmt::format("{}: a schedule of {} ranks; 1 to {} are read", file_.file().string(), ranks,
                            most_ranks));
  ranks_ = ranks;
  std::vector<RankGraph> graphs;
  std::uint64_t bytes_of_ranks = 0;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const auto begin = head.take<std::uint64_t>(), end = head.take<std::uint64_t>();
    if (begin > end || end > file_.text().size() - origin)
      refuse(rank, fmt::format("its nodes stand at bytes {} to {}, the file has {}: it is cut off or damaged",
                               begin, end, file_.text().size() - origin));
    bytes_of_ranks += end - begin;
    if (bytes_of_ranks > file_.text().size())
      refuse(rank, "its nodes stand where those of another rank do: the file is damaged");
    graphs.push_back(read_rank(rank, begin + origin, end + origin));
    if (progress && rank % 16 == 0) progress(static_cast<double>(rank) / static_cast<double>(ranks_));
    file_.forget_between(begin + origin, end + origin);
  }
  return graphs;
}

RankGraph BinaryReader::read_rank(std::size_t rank, std::size_t begin, std::size_t end) {
  if (begin == end) return {};
  Bytewise bytes(file_, begin, end);
  const auto nodes = bytes.take<std::uint32_t>(), roots = bytes.take<std::uint32_t>();
  constexpr std::size_t node_size = 39;
  if (nodes > RankGraphBuilder::most_nodes || bytes.left() / node_size < nodes)
    refuse(rank, fmt::format("{} nodes do not fit into its {} bytes: the file is cut off or damaged", nodes,
                             end - begin));
  bytes.skip(std::uint64_t{roots} * sizeof roots);
  waiting_.clear();
  waiting_.reserve(nodes);
  for (std::uint32_t number = 0; number < nodes; ++number) read_node(bytes, rank, number);
  const std::size_t appendix = bytes.at();
  const std::uint64_t waiting = bytes.left() / sizeof(std::uint32_t);
  std::uint64_t named = 0;
  for (std::uint32_t number = 0; number < nodes; ++number) {
    const Waiting& here = waiting_[number];
    const auto add = [&](std::uint64_t first, std::uint64_t count, bool start) {
      named += count;
      if (count > 0 && (first + count > waiting || named > waiting))
        refuse(rank, number, "those that wait for it stand behind the end: the file is cut off or damaged");
      for (std::uint64_t i = first; i < first + count; ++i) {
        std::uint32_t node = 0;
        std::memcpy(&node, file_.text().data() + appendix + i * sizeof node, sizeof node);
        if (node >= nodes)
          refuse(
              rank, number,
              fmt::format("it lists node {} as waiting for it, but the rank has nodes 0 to {}: the file is "
                          "damaged",
                          node, nodes - 1));
        builder_.require(node, number, start);
      }
    };
    add(here.first_end, here.ends, false);
    add(here.first_start, here.starts, true);
  }
  RankGraph graph = builder_.finish();
  if (const auto node = builder_.cycle())
    refuse(rank, *node, "it waits, perhaps by way of others, for itself");
  for (std::uint32_t number = 0; number < nodes; ++number)
    if (graph.nodes()[number].waits_for != waiting_[number].depends_on)
      refuse(rank, number,
             fmt::format("it waits for {} others, but {} name it: the file is damaged",
                         waiting_[number].depends_on, graph.nodes()[number].waits_for));
  return graph;
}

void BinaryReader::read_node(Bytewise& bytes, std::size_t rank, std::uint32_t number) {
  Waiting waiting{};
  waiting.depends_on = bytes.take<std::uint32_t>();
  const auto type = bytes.take<std::uint8_t>();
  const auto peer = bytes.take<std::uint32_t>();
  const auto size = bytes.take<std::uint64_t>();
  const auto tag = bytes.take<std::uint32_t>();
  GraphNode node;
  node.cpu = bytes.take<std::uint8_t>();
  node.nic = bytes.take<std::uint8_t>();
  waiting.ends = bytes.take<std::uint32_t>();
  waiting.first_end = bytes.take<std::uint32_t>();
  waiting.starts = bytes.take<std::uint32_t>();
  waiting.first_start = bytes.take<std::uint32_t>();
  constexpr std::uint8_t send = 1, receive = 2, calculation = 3;
  if (type != send && type != receive && type != calculation)
    refuse(rank, number, fmt::format("type {} is neither send (1), recv (2) nor calc (3)", type));
  if (type == calculation) {
    if (size > most_ns)
      refuse(rank, number, fmt::format("it calculates for {} ns; {} are the most", size, most_ns));
    node.amount = static_cast<std::int64_t>(size) * 1000;
  } else {
    node.kind = type == send ? GraphNode::Kind::send : GraphNode::Kind::receive;
    if (size > most_bytes)
      refuse(rank, number, fmt::format("a message of {} bytes; {} are the most", size, most_bytes));
    if (peer >= ranks_ && (type == send || peer != any))
      refuse(rank, number, fmt::format("its peer is rank {}, but the ranks are 0 to {}", peer, ranks_ - 1));
    if (type == send && tag == any)
      refuse(rank, number, "a send has a tag from 0 to 4294967294; only a recv may take any");
    node.amount = static_cast<std::int64_t>(size);
    node.peer = Rank{static_cast<std::int32_t>(peer)};
    node.tag = Tag{static_cast<std::int32_t>(tag)};
  }
  builder_.add(node);
  waiting_.push_back(waiting);
}

}  // namespace

std::vector<RankGraph> read_binary(MappedText& bytes, const Progress& progress) {
  return BinaryReader(bytes).read(progress);
}

}  // namespace morgana::goal
