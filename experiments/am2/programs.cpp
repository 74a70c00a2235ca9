#include "experiments/am2/programs.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/engine/engine.h"
#include "experiments/am2/rows.h"
#include "runs/platform_probe.h"
#include "runs/scripted_ranks.h"

namespace morgana::am2_paper {
namespace {

constexpr Bytes four_words(16);
constexpr double us = 1e-6;

/// What each rank's calls took, in the order in which they ended.
class Calls : public OperationObserver {
 public:
  struct One {
    SimTime start, end;
    OperationKind kind;
  };
  explicit Calls(std::size_t ranks) : of_(ranks) {}
  void operation_ended(Rank rank, const Operation& operation, SimTime start, SimTime end,
                       std::span<const Completed>) override {
    of_[index(rank)].push_back({start, end, operation.kind});
  }
  const std::vector<One>& of(Rank rank) const { return of_[index(rank)]; }
  std::vector<SimTime> ends_of_waits(Rank rank) const {
    std::vector<SimTime> ends;
    for (const One& call : of(rank))
      if (call.kind == OperationKind::wait) ends.push_back(call.end);
    return ends;
  }

 private:
  std::vector<std::vector<One>> of_;
};

Calls play(ScriptedRanks& ranks, const Platform& platform, std::uint64_t seed) {
  Placement placement;
  placement.kind = Placement::Kind::cyclic;
  Machine machine = platform.build(ranks.ranks(), placement, seed);
  Calls calls(ranks.ranks());
  OperationObserver* const observers[] = {&calls};
  Engine engine(machine, ranks, observers);
  engine.run();
  return calls;
}

void end_all(ScriptedRanks& ranks) {
  for (std::size_t rank = 0; rank < ranks.ranks(); ++rank) ranks.exit(Rank(static_cast<std::uint32_t>(rank)));
}

Rank rank(int number) {
  return Rank(static_cast<std::uint32_t>(number));
}

RunOutcome outcome(Figures figures) {
  RunOutcome done;
  done.figures = std::move(figures);
  return done;
}

RunOutcome play_ping(const Platform& platform, std::uint64_t seed) {
  constexpr int rounds = 20;
  constexpr Rank here{0}, there{1};
  ScriptedRanks ranks(2);
  for (int i = 0; i < rounds; ++i) {
    ranks.wait(here, ranks.begin_send(here, there, four_words));
    ranks.receive(here, there, four_words);
    ranks.receive(there, here, four_words);
    ranks.wait(there, ranks.begin_send(there, here, four_words));
  }
  end_all(ranks);
  const SimTime end = play(ranks, platform, seed).ends_of_waits(here).back();
  return outcome({{"us", end.seconds() / us / rounds}});
}

/// The server receives from its clients in turn, as one that polls its endpoints does.
RunOutcome play_requests(int clients, int outstanding, const Platform& platform, std::uint64_t seed) {
  const int each = std::max(48, 600 / clients);
  constexpr Rank server{0};
  ScriptedRanks ranks(static_cast<std::size_t>(clients) + 1);
  std::vector<RequestId> replies;
  for (int i = 0; i < each; ++i)
    for (int client = 1; client <= clients; ++client) {
      ranks.receive(server, rank(client), four_words);
      replies.push_back(ranks.begin_send(server, rank(client), four_words));
    }
  for (const RequestId one : replies) ranks.wait(server, one);
  for (int client = 1; client <= clients; ++client) {
    std::vector<RequestId> sent;
    for (int i = 0; i < each + outstanding; ++i) {
      if (i >= outstanding) ranks.receive(rank(client), server, four_words);
      if (i < each) sent.push_back(ranks.begin_send(rank(client), server, four_words));
    }
    for (const RequestId one : sent) ranks.wait(rank(client), one);
  }
  end_all(ranks);
  const Calls calls = play(ranks, platform, seed);
  SimTime last;
  for (int client = 1; client <= clients; ++client)
    last = std::max(last, calls.ends_of_waits(rank(client)).at(static_cast<std::size_t>(each) - 1));
  const double round = last.seconds() / each;
  return outcome({{"rate", clients / round}, {"trip_us", outstanding * round / us}});
}

RunOutcome play_stream(Bytes bytes, const Platform& platform, std::uint64_t seed) {
  const std::vector<Bytes> sizes(64, bytes);
  const std::vector<SimTime> came = PlatformProbe(platform, seed).send(sizes);
  const std::size_t from = came.size() / 4;
  const double each = (came.back() - came[from]).seconds() / static_cast<double>(came.size() - 1 - from);
  return outcome({{"mb_per_s", static_cast<double>(bytes.count()) / each / 1e6}});
}

using Play = std::function<RunOutcome(const Platform&, std::uint64_t)>;

void define(Laboratory& laboratory, const std::string& name, const Play& play) {
  laboratory.define(name, [play](const Condition&, const Platform& platform, std::uint64_t seed) {
    return play(platform, seed);
  });
}

}  // namespace

std::string ping() {
  return "ping";
}

std::string requests(int clients, int outstanding) {
  return fmt::format("{} clients, {} requests of 4 words each", clients, outstanding);
}

std::string stream(int bytes) {
  return fmt::format("stream of {} B", bytes);
}

Condition on_am2(std::string workload, std::vector<std::string> overrides) {
  return {std::move(workload), "myrinet-am2", std::move(overrides)};
}

Condition on_gam(std::string workload) {
  return {std::move(workload), "myrinet-gam", {}};
}

Condition on_gam_by_words(std::string workload) {
  return {std::move(workload),
          "myrinet-gam",
          {"transport.kind=direct", "interface.gam.short-message=32 B", "messages.send-overhead=1.90 us",
           "messages.receive-overhead=4 us"}};
}

void define_programs(Laboratory& laboratory) {
  define(laboratory, ping(), play_ping);
  for (const int clients : client_numbers())
    for (const int outstanding : {1, credits, unlimited})
      define(laboratory, requests(clients, outstanding), [=](const Platform& p, std::uint64_t seed) {
        return play_requests(clients, outstanding, p, seed);
      });
  for (const int bytes : {64, 128, 256, 512, 1024, 2048, 4096, 8192})
    define(laboratory, stream(bytes),
           [=](const Platform& p, std::uint64_t seed) { return play_stream(Bytes(bytes), p, seed); });
}

}  // namespace morgana::am2_paper
