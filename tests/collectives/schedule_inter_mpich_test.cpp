#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/operations/collective_names.h"
#include "tests/collectives/schedule_inter_cases.h"

// What MPICH 4.0.2 itself sends in its collectives between two groups, recorded below MPI by
// mpich_sends/record.sh.
namespace morgana::schedule_tests {
namespace {

struct Sent {
  std::int32_t peer;
  std::int64_t bytes;  // -1: not contiguous in memory, length not recorded
  bool operator==(const Sent&) const = default;
};

struct Recorded {
  InterShape shape;
  CollectivePart part;
  std::int32_t me = 0;
  std::vector<Sent> sends;
};

/// Sizes as record_between_groups.cpp chooses them.
void fill_sizes(Recorded& recorded) {
  CollectivePart& part = recorded.part;
  const InterShape& shape = recorded.shape;
  const Bytes bytes = part.bytes;
  const std::int32_t me = recorded.me, remote = shape.remote_size(me);
  const auto fill = [&](std::vector<Bytes>& sizes, std::int32_t shift) {
    for (std::int32_t i = 0; i < remote; ++i)
      sizes.push_back(bytes * ((shape.first_remote(me) + i + shift) % 3));
  };
  switch (part.kind) {
    case CollectiveKind::gatherv:
    case CollectiveKind::allgatherv:
      fill(part.receive_sizes, 0);
      part.bytes = bytes * (me % 3);
      break;
    case CollectiveKind::scatterv:
      fill(part.send_sizes, 0);
      part.bytes = bytes * (me % 3);
      break;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      fill(part.send_sizes, me);
      fill(part.receive_sizes, me);
      break;
    case CollectiveKind::allgather:
    case CollectiveKind::alltoall:
      part.bytes = bytes * (1 + shape.group_of(me));
      part.receive_sizes = {bytes * (2 - shape.group_of(me))};
      break;
    case CollectiveKind::reduce_scatter_block:
      part.bytes = bytes * remote;
      break;
    case CollectiveKind::reduce_scatter:
      part.send_sizes.assign(static_cast<std::size_t>(shape.size_of(shape.group_of(me))), bytes * remote);
      part.send_sizes.front() -= bytes;
      part.send_sizes.back() += bytes;
      break;
    default:
      break;
  }
}

Recorded parse(const std::string& line) {
  std::istringstream text(line);
  Recorded recorded;
  CollectivePart& part = recorded.part;
  std::string kind, colon;
  std::int64_t bytes = 0, element = 0;
  std::int32_t members = 0;
  text >> kind >> part.blocking >> part.first_group >> members >> recorded.me >> part.root >>
      part.commutative >> bytes >> element >> colon;
  part.kind = collective_named(kind).value();
  part.bytes = Bytes(bytes);
  part.element = Bytes(element);
  recorded.shape = {part.kind, part.first_group, members - part.first_group, part.root};
  fill_sizes(recorded);
  Sent sent{};
  char at = 0;
  while (text >> sent.bytes >> at >> sent.peer) recorded.sends.push_back(sent);
  return recorded;
}

TEST(MpichInterSchedules, SendWhatMpichSendsInTheSameOrder) {
  std::ifstream file(std::filesystem::path(MORGANA_SOURCE) / "tests/collectives" / "mpich_sends" /
                     "mpich-4.0.2-between-groups.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    const Recorded recorded = parse(line);
    Schedule schedule;
    make_schedule(recorded.part, recorded.shape.members(), recorded.me, {}, schedule);
    std::vector<Sent> sends;
    for (const ScheduleStep& step : schedule)
      if (step.kind == ScheduleStep::Kind::send) sends.push_back({step.peer, step.bytes.count()});
    ASSERT_EQ(sends.size(), recorded.sends.size()) << line;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      if (recorded.sends[i].bytes < 0) sends[i].bytes = recorded.sends[i].bytes;
      ASSERT_EQ(sends[i], recorded.sends[i]) << "send " << i << " of " << line;
    }
  }
  EXPECT_EQ(lines, 1914);
}

}  // namespace
}  // namespace morgana::schedule_tests
