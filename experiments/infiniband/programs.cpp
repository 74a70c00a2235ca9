#include "experiments/infiniband/programs.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulator/engine/engine.h"
#include "runs/scripted_ranks.h"

namespace morgana::infiniband_tables {
namespace {

constexpr int window = 64;
/// A host of another leaf switch of edr-fat-tree-2to1 than host 0.
constexpr std::uint32_t far_host = 24;

Rank nth(int number) {
  return Rank(static_cast<std::uint32_t>(number));
}

/// When each rank ends. The first half of the ranks are on one host, the others on the other.
std::vector<SimTime> ends_of(ScriptedRanks& ranks, const Platform& platform, std::uint64_t seed) {
  const int count = static_cast<int>(ranks.ranks());
  Placement placement;
  placement.kind = Placement::Kind::listed;
  placement.origin = "two hosts";
  for (int rank = 0; rank < count; ++rank) {
    ranks.exit(nth(rank));
    placement.hosts.push_back(rank < count / 2 ? 0 : far_host);
  }
  Machine machine = platform.build(ranks.ranks(), placement, seed);
  Engine engine(machine, ranks, {});
  return engine.run();
}

void ping_pong(ScriptedRanks& ranks, Bytes bytes) {
  ranks.send(nth(0), nth(1), bytes);
  ranks.receive(nth(0), nth(1), bytes);
  ranks.receive(nth(1), nth(0), bytes);
  ranks.send(nth(1), nth(0), bytes);
}

/// A window of messages from one rank to the other.
std::vector<RequestId> stream(ScriptedRanks& ranks, Rank at, Rank peer, Bytes bytes, bool sends) {
  std::vector<RequestId> requests;
  for (int i = 0; i < window; ++i)
    requests.push_back(sends ? ranks.begin_send(at, peer, bytes) : ranks.begin_receive(at, peer, bytes));
  return requests;
}

void wait_for(ScriptedRanks& ranks, Rank at, const std::vector<RequestId>& requests) {
  for (const RequestId one : requests) ranks.wait(at, one);
}

void answered_window(ScriptedRanks& ranks, Rank from, Rank to, Bytes bytes) {
  constexpr Bytes answer(4);
  wait_for(ranks, from, stream(ranks, from, to, bytes, true));
  ranks.receive(from, to, answer);
  wait_for(ranks, to, stream(ranks, to, from, bytes, false));
  ranks.send(to, from, answer);
}

void both_ways(ScriptedRanks& ranks, Bytes bytes) {
  for (const int one : {0, 1}) {
    const std::vector<RequestId> receives = stream(ranks, nth(one), nth(1 - one), bytes, false);
    wait_for(ranks, nth(one), stream(ranks, nth(one), nth(1 - one), bytes, true));
    wait_for(ranks, nth(one), receives);
  }
}

void one_round(ScriptedRanks& ranks, const PublishedTable& table, Bytes bytes) {
  const int half = table.ranks / 2;
  switch (table.benchmark) {
    case Benchmark::latency:
      return ping_pong(ranks, bytes);
    case Benchmark::bandwidth:
    case Benchmark::rate:
      for (int pair = 0; pair < half; ++pair) answered_window(ranks, nth(pair), nth(half + pair), bytes);
      return;
    case Benchmark::bidirectional:
      return both_ways(ranks, bytes);
    default:
      return;
  }
}

/// In the steady state: the time that two more rounds take.
SimTime time_of_a_round(const PublishedTable& table, Bytes bytes, const Platform& platform,
                        std::uint64_t seed) {
  constexpr int few = 1, more = 3;
  SimTime last[2];
  for (const int rounds : {few, more}) {
    ScriptedRanks ranks(static_cast<std::size_t>(table.ranks));
    for (int round = 0; round < rounds; ++round) one_round(ranks, table, bytes);
    SimTime& end = last[rounds == few ? 0 : 1];
    for (const SimTime one : ends_of(ranks, platform, seed)) end = std::max(end, one);
  }
  return SimTime::from_ps((last[1] - last[0]).ps() / (more - few));
}

CollectiveKind kind_of(Benchmark benchmark) {
  if (benchmark == Benchmark::allreduce) return CollectiveKind::allreduce;
  return benchmark == Benchmark::allgather ? CollectiveKind::allgather : CollectiveKind::alltoall;
}

/// The mean over the ranks of the time from a barrier's end to the collective's, as the benchmarks report it.
double mean_seconds_of_collective(const PublishedTable& table, Bytes bytes, const Platform& platform,
                                  std::uint64_t seed) {
  double sum = 0;
  for (const bool with : {false, true}) {
    ScriptedRanks ranks(static_cast<std::size_t>(table.ranks));
    for (int rank = 0; rank < table.ranks; ++rank) {
      constexpr Bytes float_size(4);
      ranks.collective(nth(rank), CollectiveKind::barrier, Bytes(), Bytes(1));
      if (with)
        ranks.collective(nth(rank), kind_of(table.benchmark), bytes,
                         table.benchmark == Benchmark::allreduce ? float_size : Bytes(1));
    }
    for (const SimTime end : ends_of(ranks, platform, seed)) sum += (with ? 1 : -1) * end.seconds();
  }
  return sum / table.ranks;
}

}  // namespace

double emulated(const PublishedTable& table, std::int64_t bytes, const Platform& platform,
                std::uint64_t seed) {
  constexpr double us = 1e-6, millions = 1e6;
  const Bytes size(bytes);
  switch (table.benchmark) {
    case Benchmark::latency:
      return time_of_a_round(table, size, platform, seed).seconds() / us / 2;
    case Benchmark::bandwidth:
      return window * static_cast<double>(bytes) / time_of_a_round(table, size, platform, seed).seconds() /
             millions;
    case Benchmark::bidirectional:
      return 2 * window * static_cast<double>(bytes) /
             time_of_a_round(table, size, platform, seed).seconds() / millions;
    case Benchmark::rate:
      return window * (table.ranks / 2) / time_of_a_round(table, size, platform, seed).seconds() / millions;
    case Benchmark::allreduce:
    case Benchmark::allgather:
    case Benchmark::alltoall:
      return mean_seconds_of_collective(table, size, platform, seed) / us;
  }
  return 0;
}

}  // namespace morgana::infiniband_tables
