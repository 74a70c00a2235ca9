#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/core/error.h"
#include "traces/import/goal_form.h"
#include "traces/import/goal_labels.h"

namespace morgana::goal {
namespace {

/// What a label or a keyword may be made of.
constexpr std::array<bool, 256> word_characters = [] {
  std::array<bool, 256> is{};
  for (unsigned c = 0; c < 256; ++c)
    is[c] = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
            c == '.' || c == '-' || c == '$' || c == '@' || c >= 128;
  return is;
}();

/// Characters one behind the other. At the end there is a null character.
class Characters {
 public:
  explicit Characters(const MappedText& text)
      : file_(text.file()), at_(text.text().data()), end_(at_ + text.text().size()) {}

  bool at_end() const { return at_ == end_; }
  char look() const { return at_ < end_ ? *at_ : '\0'; }
  void next() { ++at_; }
  const char* at() const { return at_; }
  std::size_t line() const { return line_; }
  bool take(char c) {
    if (look() != c || at_end()) return false;
    ++at_;
    return true;
  }
  /// @param word  a literal: then a few instructions compare it
  [[gnu::always_inline]] bool take(std::string_view word) {
    if (static_cast<std::size_t>(end_ - at_) < word.size() || std::memcmp(at_, word.data(), word.size()) != 0)
      return false;
    at_ += word.size();
    return true;
  }
  /// Not the beginning of a longer word ("sendd"); a number may follow at once, as in LogGOPSim's parser.
  [[gnu::always_inline]] bool take_whole(std::string_view word) {
    const char* const begin = at_;
    if (take(word)) {
      const char next = at_ == end_ ? ' ' : *at_;
      if (!word_characters[static_cast<unsigned char>(next)] || (next >= '0' && next <= '9')) return true;
    }
    at_ = begin;
    return false;
  }
  /// Blanks and comments within a line; a comment that goes on in the next line takes that in.
  void skip_blanks() {
    while (true) {
      const char c = look();
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (c == '/' && end_ - at_ > 1 && at_[1] == '*') {
        skip_long_comment();
      } else {
        return;
      }
    }
  }
  /// Blanks, comments and ends of lines.
  void skip_lines() {
    while (true) {
      skip_blanks();
      skip_line_comment();
      if (!take('\n')) return;
      ++line_;
    }
  }
  /// To the end of the line, which stays.
  void skip_line_comment() {
    if (!begins_line_comment()) return;
    const void* const newline = std::memchr(at_, '\n', static_cast<std::size_t>(end_ - at_));
    at_ = newline == nullptr ? end_ : static_cast<const char*>(newline);
  }
  bool begins_line_comment() const {
    return look() == '#' || (look() == '/' && end_ - at_ > 1 && at_[1] == '/');
  }
  /// Nothing is left of a line but its comment, or the end of a rank's schedule.
  bool at_line_end() const { return at_end() || look() == '\n' || look() == '}' || begins_line_comment(); }
  std::string_view word() {
    const char* const begin = at_;
    while (at_ < end_ && word_characters[static_cast<unsigned char>(*at_)]) ++at_;
    return {begin, static_cast<std::size_t>(at_ - begin)};
  }
  /// @param what  the number is, for messages
  std::uint64_t number(std::uint64_t most, const char* what) {
    skip_blanks();
    const char* const begin = at_;
    std::uint64_t value = 0;
    for (; at_ < end_ && *at_ >= '0' && *at_ <= '9'; ++at_)
      value = value * 10 + static_cast<std::uint64_t>(*at_ - '0');
    constexpr std::ptrdiff_t most_digits = 19;  // of which all fit
    if (at_ == begin || at_ - begin > most_digits || value > most) refuse_number(begin, most, what);
    return value;
  }
  [[noreturn, gnu::cold]] void refuse_number(const char* begin, std::uint64_t most, const char* what) {
    at_ = begin;
    refuse(fmt::format("{} is not a {}: write a whole number from 0 to {}", quoted(), what, most));
  }
  /// What stands here, for messages.
  std::string quoted() {
    if (at_end() || look() == '\n') return "the end of the line";
    const std::string_view found = word();
    constexpr std::size_t shown = 30;
    return fmt::format("\"{}\"", found.empty() ? std::string_view(at_, 1) : found.substr(0, shown));
  }
  [[noreturn, gnu::cold]] void refuse(const std::string& what) const { refuse(line_, what); }
  [[noreturn, gnu::cold]] void refuse_end() const {
    refuse(line_ > 1 && at_[-1] == '\n' ? line_ - 1 : line_,
           "the file ends inside a rank's schedule: close it with }, or copy the file again");
  }
  [[noreturn, gnu::cold]] void refuse(std::size_t line, const std::string& what) const {
    throw Error(fmt::format("{}:{}: {}", file_.string(), line, what));
  }

 private:
  [[gnu::noinline]] void skip_long_comment();

  const std::filesystem::path& file_;
  const char* at_;
  const char* end_;
  std::size_t line_ = 1;
};

void Characters::skip_long_comment() {
  const std::size_t begun = line_;
  at_ += 2;
  while (end_ - at_ > 1 && !(at_[0] == '*' && at_[1] == '/')) {
    if (*at_ == '\n') ++line_;
    ++at_;
  }
  if (end_ - at_ < 2) refuse(begun, "a comment begins here with /*, and no */ ends it");
  at_ += 2;
}

/// A node whose place in its file is asked for.
struct Wanted {
  std::size_t rank;
  std::uint32_t node;
  std::string found;
};

class TextReader {
 public:
  /// @param wanted  reading ends with its rank; null: all is read
  explicit TextReader(MappedText& text, Wanted* wanted = nullptr) : text_(text), in_(text), wanted_(wanted) {}
  std::vector<RankGraph> read(const Progress& progress);

 private:
  struct Requirement {
    std::uint32_t node, on;  ///< labels
    bool start;
  };
  std::size_t read_head();
  RankGraph read_rank();
  void read_line();
  void read_node(GraphNode::Kind kind, std::uint32_t label);
  void read_peer(GraphNode& node);
  void read_requirement(std::uint32_t label, std::size_t line, bool start);
  void number_nodes();
  RankGraph finish();
  std::size_t line_of(std::uint32_t node) const { return lines_[order_.empty() ? node : order_[node]]; }
  void find(Wanted& wanted);

  MappedText& text_;
  Characters in_;
  Wanted* wanted_;
  std::size_t ranks_ = 0;
  RankGraphBuilder builder_;
  // Of the rank that is read:
  Labels labels_;
  std::string_view last_name_;           ///< of a line or of what requires
  std::uint32_t last_label_ = 0;         ///< the same
  std::vector<std::size_t> lines_;       ///< by node, in the order of the lines
  std::vector<std::uint32_t> label_of_;  ///< the same; Labels::no_node: it has none
  std::vector<std::uint32_t> order_;     ///< nodes in the order of their numbers; empty: as the lines
  std::vector<Requirement> requirements_;
  bool in_order_ = true;
};

std::vector<RankGraph> TextReader::read(const Progress& progress) {
  std::vector<RankGraph> graphs(read_head());
  std::vector<bool> seen(graphs.size());
  std::size_t forgotten = 0;
  for (in_.skip_lines(); !in_.at_end(); in_.skip_lines()) {
    if (!in_.take("rank")) in_.refuse(fmt::format("write \"rank N {{\", not {}", in_.quoted()));
    const std::size_t rank = in_.number(ranks_ - 1, "rank of this schedule");
    if (seen[rank]) in_.refuse(fmt::format("rank {} has a schedule already", rank));
    seen[rank] = true;
    in_.skip_lines();
    if (!in_.take('{')) in_.refuse(fmt::format("rank {}'s schedule begins with {{", rank));
    graphs[rank] = read_rank();
    if (wanted_ != nullptr && wanted_->rank == rank) {
      find(*wanted_);
      break;
    }
    const auto done = static_cast<std::size_t>(in_.at() - text_.text().data());
    constexpr std::size_t step = std::size_t{1} << 21;
    if (done - forgotten < step) continue;
    text_.forget_between(forgotten, done);
    forgotten = done;
    if (progress) progress(static_cast<double>(done) / static_cast<double>(text_.text().size()));
  }
  return graphs;
}

std::size_t TextReader::read_head() {
  in_.skip_lines();
  if (!in_.take("num_ranks"))
    throw Error(fmt::format("{}: no schedule in GOAL's text form, which begins with \"num_ranks N\"",
                            text_.file().string()));
  ranks_ = in_.number(most_ranks, "number of ranks");
  if (ranks_ == 0) in_.refuse("a schedule of no ranks");
  return ranks_;
}

RankGraph TextReader::read_rank() {
  labels_.clear();
  last_name_ = {};
  lines_.clear();
  label_of_.clear();
  order_.clear();
  requirements_.clear();
  in_order_ = true;
  while (true) {
    in_.skip_lines();
    if (in_.at_end()) in_.refuse_end();
    if (in_.take('}')) return finish();
    read_line();
  }
}

void TextReader::read_line() {
  const std::size_t line = in_.line();
  const auto refuse = [this] {
    in_.refuse(fmt::format("{} is not calc, send, recv or a requirement (\"a requires b\")", in_.quoted()));
  };
  const std::string_view word = in_.word();
  if (word.empty()) refuse();
  in_.skip_blanks();
  std::uint32_t label = Labels::no_node;
  std::string_view kind = word;
  // Requirements mostly stand behind the line that has them.
  const auto label_here = [&] {
    if (word != last_name_) {
      last_label_ = labels_.number_of(word, line);
      last_name_ = word;
    }
    return last_label_;
  };
  if (in_.take(':')) {
    label = label_here();
    in_.skip_blanks();
    kind = in_.take_whole("calc")   ? "calc"
           : in_.take_whole("send") ? "send"
           : in_.take_whole("recv") ? "recv"
                                    : "";
    if (kind.empty()) refuse();
  } else if (const bool start = in_.take("irequires"); start || in_.take("requires")) {
    return read_requirement(label_here(), line, start);
  }
  if (kind == "calc") return read_node(GraphNode::Kind::compute, label);
  if (kind == "send") return read_node(GraphNode::Kind::send, label);
  if (kind == "recv") return read_node(GraphNode::Kind::receive, label);
  in_.refuse(line, fmt::format("\"{}\" is not calc, send, recv or a requirement (\"a requires b\")",
                               word.substr(0, 30)));
}

void TextReader::read_requirement(std::uint32_t label, std::size_t line, bool start) {
  in_.skip_blanks();
  const std::string_view on = in_.word();
  if (on.empty()) in_.refuse(fmt::format("write the name of a line, not {}", in_.quoted()));
  requirements_.push_back({label, labels_.number_of(on, line), start});
  in_.skip_blanks();
  if (!in_.at_line_end())
    in_.refuse(fmt::format("a requirement names two lines: leave out {}", in_.quoted()));
}

void TextReader::read_peer(GraphNode& node) {
  in_.skip_blanks();
  const bool sends = node.kind == GraphNode::Kind::send;
  node.peer = !sends && in_.take("-1")
                  ? any_rank
                  : Rank{static_cast<std::int32_t>(in_.number(ranks_ - 1, "rank of this schedule"))};
}

void TextReader::read_node(GraphNode::Kind kind, std::uint32_t label) {
  const std::size_t line = in_.line();
  const bool calculates = kind == GraphNode::Kind::compute, sends = kind == GraphNode::Kind::send;
  const char* const name = calculates ? "calc" : sends ? "send" : "recv";
  GraphNode node;
  node.kind = kind;
  in_.skip_blanks();
  if (in_.at_line_end()) in_.refuse(fmt::format("{} lacks its amount", name));
  if (calculates) {
    node.amount = static_cast<std::int64_t>(in_.number(most_ns, "time in ns")) * 1000;
  } else {
    node.amount = static_cast<std::int64_t>(in_.number(most_bytes, "size (\"10b\")"));
    node.tag = Tag{0};
    in_.skip_blanks();
    in_.take('b');
  }
  bool has_peer = calculates;
  for (in_.skip_blanks(); !in_.at_line_end(); in_.skip_blanks()) {
    if (!calculates && (sends ? in_.take("to") : in_.take("from"))) {
      read_peer(node);
      has_peer = true;
    } else if (!calculates && in_.take("tag")) {
      in_.skip_blanks();
      node.tag = !sends && in_.take("-1")
                     ? any_tag
                     : Tag{static_cast<std::int32_t>(static_cast<std::uint32_t>(in_.number(any - 1, "tag")))};
    } else if (in_.take("cpu")) {
      node.cpu = static_cast<std::uint16_t>(in_.number(255, "number of a CPU"));
    } else if (in_.take("nic")) {
      node.nic = static_cast<std::uint8_t>(in_.number(255, "number of a NIC"));
    } else {
      in_.refuse(fmt::format("{} can't follow here: after its amount a {} takes {}cpu and nic", in_.quoted(),
                             name,
                             calculates ? ""
                             : sends    ? "to, tag, "
                                        : "from, tag, "));
    }
  }
  if (!has_peer) in_.refuse(fmt::format("{} lacks its peer ({} N)", name, sends ? "to" : "from"));
  const std::uint32_t number = builder_.size();
  if (number == RankGraphBuilder::most_nodes) in_.refuse("a rank has too many lines");
  if (label != Labels::no_node) {
    Labels::Label& mine = labels_[label];
    if (mine.node != Labels::no_node)
      in_.refuse(line, fmt::format("{} is the name of an earlier line", mine.name));
    mine.node = number;
  }
  if (number > 0 && in_order_)
    in_order_ = label != Labels::no_node && label_of_.back() != Labels::no_node &&
                label_before(labels_[label_of_.back()].name, labels_[label].name);
  builder_.add(node);
  lines_.push_back(line);
  label_of_.push_back(label);
}

/// By labels, then those without by what they do.
void TextReader::number_nodes() {
  if (in_order_) return;
  order_.resize(builder_.size());
  std::iota(order_.begin(), order_.end(), 0U);
  const auto content = [this](std::uint32_t i) {
    const GraphNode& node = builder_.node(i);
    return std::tuple(node.kind, node.peer, static_cast<std::uint32_t>(node.tag), node.amount, node.cpu,
                      node.nic);
  };
  std::ranges::sort(order_, [&](std::uint32_t one, std::uint32_t other) {
    const std::uint32_t label = label_of_[one], others = label_of_[other];
    if (label == Labels::no_node && others == Labels::no_node) return content(one) < content(other);
    if (label == Labels::no_node || others == Labels::no_node) return label != Labels::no_node;
    return label_before(labels_[label].name, labels_[others].name);
  });
}

RankGraph TextReader::finish() {
  for (std::uint32_t i = 0; i < labels_.size(); ++i)
    if (labels_[i].node == Labels::no_node)
      in_.refuse(labels_[i].line,
                 fmt::format("there is no line {} in this rank's schedule", labels_[i].name));
  for (const Requirement& one : requirements_)
    builder_.require(labels_[one.node].node, labels_[one.on].node, one.start);
  number_nodes();
  if (!order_.empty()) builder_.renumber(order_);
  RankGraph graph = builder_.finish();
  if (const auto node = builder_.cycle())
    in_.refuse(line_of(*node), "this line requires itself, perhaps through others");
  return graph;
}

void TextReader::find(Wanted& wanted) {
  if (wanted.node >= lines_.size()) return;
  const std::uint32_t label = label_of_[order_.empty() ? wanted.node : order_[wanted.node]];
  wanted.found = fmt::format("{}:{}", text_.file().string(), line_of(wanted.node));
  if (label != Labels::no_node) wanted.found += fmt::format(": {}", labels_[label].name);
}

}  // namespace

std::vector<RankGraph> read_text(MappedText& text, const Progress& progress) {
  return TextReader(text).read(progress);
}

bool begins_as_text(const MappedText& text) {
  Characters in(text);
  try {
    in.skip_lines();
  } catch (const Error&) {
    return false;  // a comment without an end
  }
  return in.take("num_ranks");
}

std::string find_in_text(const std::filesystem::path& file, std::size_t rank, std::uint32_t node) {
  Wanted wanted{rank, node, {}};
  try {
    MappedText text(file);
    TextReader(text, &wanted).read({});
  } catch (const Error&) {
    // It was read before, and has changed since.
  }
  return wanted.found.empty() ? fmt::format("{}: rank {}, node {}", file.string(), rank, node) : wanted.found;
}

}  // namespace morgana::goal
