// Ranks say what can be said and makes no sense: operations with any ranks, contexts, requests, sizes and
// times, waits for requests that do not exist, locks that nobody holds. Each goes through the channel's
// record and its checks, as a live rank's does. Whatever it is, the run must end: in order, in a deadlock
// that is reported, or with an Error.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <string>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "emulator/report/run_statistics.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/channel/operation_check.h"

namespace {

using namespace morgana;

constexpr std::size_t most_ranks = 5;
constexpr Bytes payload_room(std::int64_t{1} << 32);

/// The input, read as choices; zeros behind its end.
class Choices {
 public:
  Choices(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool empty() const { return at_ >= size_; }
  unsigned byte() { return at_ < size_ ? data_[at_++] : 0U; }
  bool coin() { return byte() % 2 != 0; }
  template <typename Enum>
  Enum one_of(Enum last) {
    return static_cast<Enum>(byte() % (static_cast<unsigned>(last) + 1));
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

/// What ends a run at once must be rare, or no run gets far.
constexpr unsigned wild = 250;

Bytes size_from(Choices& choices) {
  constexpr std::array<std::int64_t, 8> sizes{0, 1, 8, 1000, 65'536, 65'537, 1 << 20, (1LL << 31) + 5};
  const unsigned byte = choices.byte();
  if (byte >= wild) return Bytes(byte % 2 == 0 ? largest_size : -1);
  return Bytes(sizes[byte % sizes.size()]);
}

SimTime time_from(Choices& choices) {
  constexpr std::array<std::int64_t, 5> times{0, 1, 1'000, 1'000'000, 1'000'000'000'000};
  const unsigned byte = choices.byte();
  if (byte >= wild) return SimTime::from_ps(byte % 2 == 0 ? longest_time : -1);
  return SimTime::from_ps(times[byte % times.size()]);
}

/// Mostly one that exists.
Rank rank_from(Choices& choices, std::size_t ranks) {
  const unsigned byte = choices.byte();
  if (byte >= wild) return Rank{static_cast<std::int32_t>(byte) - 252};  // -2 to 3
  return Rank{static_cast<std::int32_t>(byte % ranks)};
}

Context context_from(Choices& choices) {
  constexpr std::array<std::uint64_t, 3> unknown{static_cast<std::uint64_t>(any_context),
                                                 std::uint64_t{1} << 63, 77};
  const unsigned byte = choices.byte();
  if (byte >= wild) return Context{unknown[byte % unknown.size()]};
  return byte % 8 == 7 ? service_context : Context{byte % 4 == 3 ? 1U : 0U};
}

void fill_sizes(Choices& choices, std::size_t usual, std::vector<Bytes>& sizes) {
  std::size_t count = choices.byte() % 4 == 0 ? choices.byte() % 8 : usual;
  while (count-- > 0) sizes.push_back(size_from(choices));
}

void fill_neighbours(Choices& choices, std::vector<std::int32_t>& neighbours) {
  for (unsigned count = choices.byte() % 5; count > 0; --count)
    neighbours.push_back(static_cast<std::int32_t>(choices.byte() % 7) - 1);
}

CollectivePart part_from(Choices& choices, std::size_t ranks) {
  CollectivePart part;
  part.kind = choices.one_of(CollectiveKind::create_context);
  part.root = static_cast<std::int32_t>(choices.byte() % (ranks + 2)) - 1;
  part.first_group = choices.byte() % 4 == 0 ? static_cast<std::int32_t>(choices.byte() % 8) - 1 : 0;
  part.commutative = choices.coin();
  part.in_place = choices.coin();
  part.blocking = choices.coin();
  part.element = choices.byte() % 4 == 0 ? size_from(choices) : Bytes(8);
  part.bytes = size_from(choices);
  if (choices.coin()) fill_sizes(choices, ranks, part.send_sizes);
  if (choices.coin()) fill_sizes(choices, ranks, part.receive_sizes);
  if (choices.coin()) fill_neighbours(choices, part.sources);
  if (choices.coin()) fill_neighbours(choices, part.destinations);
  return part;
}

/// What a rank says in order: each request has a name of its own, mostly.
class Speaker {
 public:
  RequestId fresh(Choices& choices) { return RequestId{choices.byte() >= wild ? started_ : ++started_}; }
  RequestId recent(Choices& choices) const {
    const unsigned byte = choices.byte();
    return RequestId{byte >= wild ? std::uint64_t{byte}
                                  : std::max<std::uint64_t>(started_, byte % 4) - byte % 4};
  }

 private:
  std::uint64_t started_ = 0;
};

bool starts_request(OperationKind kind) {
  return kind == OperationKind::send || kind == OperationKind::receive || kind == OperationKind::collective ||
         kind == OperationKind::access || kind == OperationKind::lock || kind == OperationKind::unlock;
}

OperationKind kind_from(Choices& choices) {
  const unsigned byte = choices.byte();
  return static_cast<OperationKind>(
      byte % (static_cast<unsigned>(byte >= wild ? OperationKind::kill : OperationKind::unlock) + 1));
}

/// The program's collectives; that all ranks take part in the same one must not be left to chance.
using Parts = std::array<CollectivePart, 4>;

Operation operation_from(Choices& choices, std::size_t ranks, const Parts& parts, Speaker& speaker) {
  Operation operation;
  operation.kind = kind_from(choices);
  const unsigned flags = choices.byte();
  operation.wants_answer = (flags & 1) != 0;
  operation.exclusive = (flags & 2) != 0;
  if ((flags & 4) != 0) operation.elapsed = time_from(choices);
  if ((flags & 8) != 0) operation.duration = time_from(choices);
  if ((flags & 16) != 0) operation.taken = RequestId{choices.byte() % 4};
  if ((flags & 32) != 0) operation.polled = time_from(choices);
  operation.mode = choices.one_of(SendMode::ready);
  operation.completion = choices.one_of(Completion::some);
  operation.peer = rank_from(choices, ranks);
  operation.tag = Tag{static_cast<std::int32_t>(choices.byte() % 4) - 1};
  operation.context = context_from(choices);
  operation.request = starts_request(operation.kind) ? speaker.fresh(choices) : speaker.recent(choices);
  operation.bytes = size_from(choices);
  if (operation.kind == OperationKind::access) operation.reply = size_from(choices);
  if (operation.kind == OperationKind::collective) {
    const unsigned which = choices.byte();
    operation.collective = which >= wild ? part_from(choices, ranks) : parts[which % parts.size()];
  }
  if (operation.kind == OperationKind::wait || operation.kind == OperationKind::test)
    for (unsigned count = choices.byte() % 6; count > 0; --count)
      operation.requests.push_back(speaker.recent(choices));
  if (operation.kind == OperationKind::context_created)
    for (unsigned count = choices.byte() % 6; count > 0; --count)
      operation.members.push_back(rank_from(choices, ranks));
  return operation;
}

/// What each rank says, one after the other; then it ends. Some things it says late.
class Nonsense : public OperationSource {
 public:
  Nonsense(Choices& choices, std::size_t ranks) : said_(ranks) {
    Parts parts;
    for (CollectivePart& part : parts) part = part_from(choices, ranks);
    std::vector<Speaker> speakers(ranks);
    for (int count = 0; count < 400 && !choices.empty(); ++count) {
      const unsigned who = choices.byte();
      said_[who % ranks].push_back({operation_from(choices, ranks, parts, speakers[who % ranks]), who / 128});
    }
    for (auto& words : said_) words.push_back({exit(), 0});
  }

  std::size_t ranks() const override { return said_.size(); }

  bool next(Rank rank, Operation& operation) override {
    Words& first = said_[index(rank)].front();
    if (first.late > 0) return false;
    std::vector<Word> record;
    encode(first.operation, record);
    decode(record, operation);
    check_said(operation, said_.size(), payload_room);
    said_[index(rank)].pop_front();
    return true;
  }

  std::optional<SimTime> computed(Rank rank) override {
    if (said_[index(rank)].front().late == 0) return std::nullopt;
    return SimTime();
  }

  void wait(std::span<const AwaitedRank> awaited) override {
    if (awaited.empty()) std::abort();  // the engine waits for nobody: it would do so for ever
    for (const AwaitedRank& awaited_rank : awaited) said_[index(awaited_rank.rank)].front().late = 0;
  }

  void answer(Rank, const Answer& answer) override {
    std::vector<Word> record;
    encode(answer, record);
    Answer again;
    decode(record, again);
    if (!(again == answer)) std::abort();
  }

 private:
  struct Words {
    Operation operation;
    unsigned late;
  };

  static Operation exit() {
    Operation last;
    last.kind = OperationKind::exit;
    return last;
  }

  std::vector<std::deque<Words>> said_;
};

const Platform& platform(bool few_hosts) {
  const auto load = [](const char* hosts) {
    const std::string network =
        "[network]\nkind = \"loggp\"\nlatency = \"5 us\"\ngap-per-byte = \"1 ns/B\"\n";
    return Platform::parse("description = \"to be confused\"\n" + std::string(hosts) + network, "fuzz.toml");
  };
  static const Platform spread = load(""), crowded = load("[hosts]\nprocessors = 2\n");
  return few_hosts ? crowded : spread;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Choices choices(data, size);
  const std::size_t ranks = 1 + choices.byte() % most_ranks;
  Machine machine = platform(choices.coin()).build(ranks, {}, 1);
  Nonsense nonsense(choices, ranks);
  RunStatistics statistics(ranks);
  std::array<OperationObserver*, 1> observers{&statistics};
  try {
    Engine(machine, nonsense, observers).run();
  } catch (const Error&) {
  }
  return 0;
}
