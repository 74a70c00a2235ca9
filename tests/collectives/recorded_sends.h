#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "emulator/operations/collective_names.h"
#include "tests/collectives/schedule_cases.h"

namespace morgana::schedule_tests {

// Lines that mpich_sends/record.cpp has written: what a member of a collective sends, in order.

struct Sent {
  std::int32_t peer;
  std::int64_t bytes;  // -1: not contiguous in memory, length not recorded
  bool operator==(const Sent&) const = default;
};

struct Recorded {
  CollectivePart part;
  std::int32_t members = 0, me = 0;
  std::vector<Sent> sends;
};

/// Sizes as record.cpp chooses them where they differ among members.
inline void fill_unequal_sizes(Recorded& recorded) {
  CollectivePart& part = recorded.part;
  const auto size = [bytes = part.bytes](std::int32_t i) { return bytes * (i % 3); };
  const auto fill = [&](std::vector<Bytes>& sizes, std::int32_t shift) {
    for (std::int32_t i = 0; i < recorded.members; ++i) sizes.push_back(size(i + shift));
  };
  switch (part.kind) {
    case CollectiveKind::gatherv:
    case CollectiveKind::allgatherv:
      fill(part.receive_sizes, 0);
      part.bytes = size(recorded.me);
      break;
    case CollectiveKind::scatterv:
      fill(part.send_sizes, 0);
      part.bytes = size(recorded.me);
      break;
    case CollectiveKind::reduce_scatter:
      fill(part.send_sizes, 0);
      break;
    case CollectiveKind::alltoallv:
    case CollectiveKind::alltoallw:
      fill(part.send_sizes, recorded.me);
      fill(part.receive_sizes, recorded.me);
      break;
    default:
      break;
  }
}

inline Recorded parse_recorded(std::istream& text) {
  Recorded recorded;
  CollectivePart& part = recorded.part;
  std::string kind, colon;
  std::int64_t bytes = 0, element = 0;
  text >> kind >> part.blocking >> recorded.members >> recorded.me >> part.root >> part.in_place >>
      part.commutative >> bytes >> element >> colon;
  part.kind = collective_named(kind).value();
  part.bytes = Bytes(bytes);
  part.element = Bytes(element);
  fill_unequal_sizes(recorded);
  Sent sent{};
  char at = 0;
  while (text >> sent.bytes >> at >> sent.peer) recorded.sends.push_back(sent);
  return recorded;
}

/// The sends of a schedule; those of unknown length in `recorded` count as unknown.
inline std::vector<Sent> sends_of(const Schedule& schedule, const Recorded& recorded) {
  std::vector<Sent> sends;
  for (const ScheduleStep& step : schedule)
    if (step.kind == ScheduleStep::Kind::send) sends.push_back({step.peer, step.bytes.count()});
  for (std::size_t i = 0; i < sends.size() && i < recorded.sends.size(); ++i)
    if (recorded.sends[i].bytes < 0) sends[i].bytes = recorded.sends[i].bytes;
  return sends;
}

}  // namespace morgana::schedule_tests
