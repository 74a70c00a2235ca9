// Writes a random schedule in GOAL's text form, or in the binary form of LogGOPSim's txt2bin:
//
//   make_schedule FILE RANKS NODES [binary]
//
// A third of the steps compute for up to 3.5 us at a random rank; the others send 1, 1001 or 2001 bytes from
// one random rank to another one, with the step's number as the tag. Each node requires none, one or two
// random earlier nodes of its rank: their end, or in one of four cases their start. Such a schedule has no
// deadlock, and the same arguments write the same file.
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/random.h"

namespace {

enum class Kind : std::uint8_t { send = 1, receive = 2, compute = 3 };  // as in the binary form

/// @param requires  up to two: twice the number of an earlier node, and 1 more: its start
struct Step {
  std::uint32_t peer = 0, tag = 0;
  std::uint16_t amount = 0;  ///< ns, or bytes
  Kind kind = Kind::compute;
  std::uint8_t requirements = 0;
  std::array<std::uint32_t, 2> on{};
};
using Rank = std::vector<Step>;

std::vector<Rank> random_schedule(std::uint32_t ranks, std::uint64_t nodes) {
  morgana::RandomStream random(1, "schedule");
  std::vector<Rank> all(ranks);
  const auto add = [&](std::size_t rank, Step step) {
    const auto number = static_cast<std::uint32_t>(all[rank].size());
    for (std::uint64_t count = random.below(3); count > 0 && number > 0; --count) {
      const bool start = random.below(4) == 0;
      step.on[step.requirements++] =
          static_cast<std::uint32_t>(random.below(number)) << 1 | (start ? 1U : 0U);
    }
    all[rank].push_back(step);
  };
  std::uint32_t tag = 0;
  for (std::uint64_t made = 0; made < nodes; ++made, ++tag) {
    const auto from = static_cast<std::uint32_t>(random.below(ranks));
    const auto to = static_cast<std::uint32_t>((from + 1 + random.below(ranks - 1)) % ranks);
    if (made + 1 == nodes || random.below(3) == 0) {
      add(from, {0, 0, static_cast<std::uint16_t>(500 * random.below(8)), Kind::compute});
      continue;
    }
    const auto bytes = static_cast<std::uint16_t>(1 + 1000 * random.below(3));
    add(from, {to, tag, bytes, Kind::send});
    add(to, {from, tag, bytes, Kind::receive});
    ++made;
  }
  return all;
}

class Output {
 public:
  explicit Output(const char* file) : file_(std::fopen(file, "wb")) {
    if (file_ == nullptr) fail(file);
  }
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() {
    write();
    if (std::fclose(file_) != 0) fail("the end of the file");
  }
  Output& operator<<(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > most_buffered) write();
    return *this;
  }
  Output& operator<<(std::uint64_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    return *this << std::string_view(digits.data(), end);
  }
  /// As it stands in memory: little-endian.
  template <class Number>
  void put(Number number) {
    std::array<char, sizeof(Number)> bytes{};
    std::memcpy(bytes.data(), &number, sizeof number);
    *this << std::string_view(bytes.data(), bytes.size());
  }

 private:
  static constexpr std::size_t most_buffered = 1 << 20;
  [[noreturn]] static void fail(const char* what) {
    std::perror(what);
    std::exit(1);
  }
  void write() {
    if (std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) fail("writing");
    buffer_.clear();
  }
  std::FILE* file_;
  std::string buffer_;
};

void write_text(Output& out, const std::vector<Rank>& all) {
  out << "num_ranks " << all.size() << "\n";
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    out << "rank " << rank << " {\n";
    for (std::size_t i = 0; i < all[rank].size(); ++i) {
      const Step& step = all[rank][i];
      out << "n" << i + 1 << ": ";
      if (step.kind == Kind::compute)
        out << "calc " << step.amount << "\n";
      else
        out << (step.kind == Kind::send ? "send " : "recv ") << step.amount << "b "
            << (step.kind == Kind::send ? "to " : "from ") << step.peer << " tag " << step.tag << "\n";
      for (std::size_t one = 0; one < step.requirements; ++one)
        out << "n" << i + 1 << ((step.on[one] & 1) != 0 ? " irequires n" : " requires n")
            << (step.on[one] >> 1) + 1 << "\n";
    }
    out << "}\n";
  }
}

struct Followers {
  std::vector<std::uint32_t> first, all;  ///< by twice the node's number, and 1 more: of its start
};

Followers followers_of(const Rank& rank) {
  Followers followers;
  followers.first.resize(2 * rank.size() + 2);
  const auto each = [&rank](auto use) {
    for (std::uint32_t i = 0; i < rank.size(); ++i)
      for (std::size_t one = 0; one < rank[i].requirements; ++one) use(rank[i].on[one], i);
  };
  each([&](std::uint32_t on, std::uint32_t) { ++followers.first[on + 1]; });
  for (std::size_t i = 1; i < followers.first.size(); ++i) followers.first[i] += followers.first[i - 1];
  followers.all.resize(followers.first.back());
  std::vector<std::uint32_t> next = followers.first;
  each([&](std::uint32_t on, std::uint32_t node) { followers.all[next[on]++] = node; });
  return followers;
}

void write_binary(Output& out, const std::vector<Rank>& all) {
  constexpr std::uint64_t node_size = 39;
  out.put(std::uint64_t{4223});
  out.put(static_cast<std::uint32_t>(all.size()));
  out.put(std::uint16_t{0});  // the largest numbers of CPU and NIC
  std::uint64_t begin = 6 + 16 * all.size();
  std::vector<std::uint32_t> roots;
  for (const Rank& rank : all) {
    std::uint64_t words = 2;
    for (const Step& step : rank) words += step.requirements + (step.requirements == 0 ? 1U : 0U);
    const std::uint64_t end = begin + node_size * rank.size() + 4 * words;
    out.put(begin);
    out.put(end);
    begin = end;
  }
  for (const Rank& rank : all) {
    const Followers followers = followers_of(rank);
    roots.clear();
    for (std::uint32_t i = 0; i < rank.size(); ++i)
      if (rank[i].requirements == 0) roots.push_back(i);
    out.put(static_cast<std::uint32_t>(rank.size()));
    out.put(static_cast<std::uint32_t>(roots.size()));
    for (const std::uint32_t root : roots) out.put(root);
    for (std::size_t i = 0; i < rank.size(); ++i) {
      const Step& step = rank[i];
      out.put(std::uint32_t{step.requirements});
      out.put(static_cast<std::uint8_t>(step.kind));
      out.put(step.peer);
      out.put(std::uint64_t{step.amount});
      out.put(step.tag);
      out.put(std::uint16_t{0});
      for (const std::size_t which : {2 * i, 2 * i + 1}) {
        out.put(followers.first[which + 1] - followers.first[which]);
        out.put(followers.first[which]);
      }
    }
    for (const std::uint32_t one : followers.all) out.put(one);
  }
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t ranks = count > 2 ? std::strtoull(words[2], nullptr, 10) : 0;
  const std::uint64_t nodes = count > 3 ? std::strtoull(words[3], nullptr, 10) : 0;
  const bool binary = count == 5 && std::string_view(words[4]) == "binary";
  if (count < 4 || count > 5 || (count == 5 && !binary) || ranks < 2 || ranks > 1'000'000 || nodes == 0 ||
      nodes > 1'000'000'000) {
    std::fprintf(
        stderr,
        "usage: make_schedule FILE RANKS NODES [binary]  (2 to 1 million ranks, 1 to 1 billion nodes)\n");
    return 2;
  }
  const std::vector<Rank> all = random_schedule(static_cast<std::uint32_t>(ranks), nodes);
  Output out(words[1]);
  binary ? write_binary(out, all) : write_text(out, all);
  return 0;
}
