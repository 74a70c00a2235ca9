#pragma once

#include <filesystem>
#include <string>

#include "traces/otf2/trace_writer.h"

namespace morgana::testing {

inline TraceProperties sample_properties(std::size_t ranks) {
  TraceProperties properties;
  properties.program = "./sample -n 1";
  properties.platform = "loggp-example";
  for (std::size_t i = 0; i < ranks; ++i) properties.host_of.push_back("host" + std::to_string(i));
  return properties;
}

/// Two ranks: `rounds` of a ping-pong with MPI_Send and MPI_Irecv + MPI_Wait, then an MPI_Allreduce. Each
/// call takes 10 ns and begins 10 ns after the one before; messages from rank 0 have 1000 bytes, from rank
/// 1 10.
inline void write_sample(TraceWriter& writer, int rounds) {
  const auto ns = [](std::int64_t count) { return SimTime::from_ps(1000 * count); };
  for (std::int32_t rank = 0; rank < 2; ++rank) {
    SimTime clock;
    const auto ended = [&](const Operation& operation, const std::vector<Completed>& completed = {}) {
      const SimTime begin = clock + (begins_call(operation.part) ? ns(10) : SimTime());
      clock = begin + (ends_call(operation.part) ? ns(10) : SimTime());
      writer.operation_ended(Rank{rank}, operation, begin, clock, completed);
    };
    const auto sends = [&] {
      Operation send;
      send.kind = OperationKind::send;
      send.call = Call::MPI_Send;
      send.part = CallPart::first;
      send.peer = Rank{1 - rank};
      send.tag = Tag{5};
      send.request = RequestId{1};
      send.bytes = Bytes(rank == 0 ? 1000 : 10);
      ended(send);
      Operation wait;
      wait.kind = OperationKind::wait;
      wait.call = Call::MPI_Send;
      wait.part = CallPart::last;
      wait.requests = {RequestId{1}};
      Completed sent;
      sent.request = RequestId{1};
      ended(wait, {sent});
    };
    const auto receives = [&] {
      Operation receive;
      receive.kind = OperationKind::receive;
      receive.call = Call::MPI_Irecv;
      receive.request = RequestId{2};
      receive.peer = any_rank;
      receive.tag = any_tag;
      receive.bytes = Bytes(4096);
      ended(receive);
      Operation wait;
      wait.kind = OperationKind::wait;
      wait.call = Call::MPI_Wait;
      wait.requests = {RequestId{2}};
      Completed received;
      received.request = RequestId{2};
      received.source = Rank{1 - rank};
      received.tag = Tag{5};
      received.bytes = Bytes(rank == 0 ? 10 : 1000);
      ended(wait, {received});
    };
    for (int round = 0; round < rounds; ++round) {
      if (rank == 0) sends();
      receives();
      if (rank == 1) sends();
    }
    Operation collective;
    collective.kind = OperationKind::collective;
    collective.call = Call::MPI_Allreduce;
    collective.part = CallPart::first;
    collective.request = RequestId{3};
    collective.collective.kind = CollectiveKind::allreduce;
    collective.collective.bytes = Bytes(8);
    ended(collective);
    Operation wait;
    wait.kind = OperationKind::wait;
    wait.call = Call::MPI_Allreduce;
    wait.part = CallPart::last;
    wait.requests = {RequestId{3}};
    Completed done;
    done.request = RequestId{3};
    ended(wait, {done});
    Operation exit;
    exit.kind = OperationKind::exit;
    writer.operation_ended(Rank{rank}, exit, clock, clock, {});
  }
}

inline void write_sample(const std::filesystem::path& folder, int rounds) {
  TraceWriter writer(folder, sample_properties(2));
  write_sample(writer, rounds);
  writer.finish();
}

/// One rank: MPI_Iprobe finds nothing from 10 to 12 us; the rank polls as long four times more by itself,
/// computes for 12 us, and MPI_Iprobe finds a message from 32 to 33 us.
inline void write_polls(const std::filesystem::path& folder) {
  const auto us = [](std::int64_t count) { return SimTime::from_ps(1'000'000 * count); };
  TraceWriter writer(folder, sample_properties(1));
  Operation poll;
  poll.kind = OperationKind::test_probe;
  poll.call = Call::MPI_Iprobe;
  poll.elapsed = us(10);
  writer.operation_ended(Rank{0}, poll, us(10), us(12), {});
  poll.elapsed = us(20);
  poll.polled = us(8);
  Completed found;
  found.source = Rank{0};
  found.tag = Tag{1};
  found.bytes = Bytes(100);
  writer.operation_ended(Rank{0}, poll, us(32), us(33), {&found, 1});
  Operation exit;
  exit.kind = OperationKind::exit;
  writer.operation_ended(Rank{0}, exit, us(33), us(33), {});
  writer.finish();
}

}  // namespace morgana::testing
