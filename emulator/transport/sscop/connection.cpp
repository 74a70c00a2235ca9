#include "emulator/transport/sscop/connection.h"

namespace morgana::sscop {

SscopCounters total(const Connection& connection) {
  SscopCounters all = connection.counters;
  const SenderCounters& sender = connection.sender.counters();
  const ReceiverCounters& receiver = connection.receiver.counters();
  all.data += sender.data;
  all.again_by_stat += sender.again_by_stat;
  all.again_by_ustat += sender.again_by_ustat;
  all.suppressed += sender.suppressed;
  all.polls += sender.polls;
  all.stats += receiver.stats;
  all.ustats += receiver.ustats;
  all.duplicates += receiver.duplicates;
  return all;
}

SscopCounters total(const std::deque<Connection>& connections) {
  SscopCounters sum;
  for (const Connection& connection : connections) {
    const SscopCounters all = total(connection);
    sum.data += all.data;
    sum.again_by_stat += all.again_by_stat;
    sum.again_by_ustat += all.again_by_ustat;
    sum.suppressed += all.suppressed;
    sum.polls += all.polls;
    sum.stats += all.stats;
    sum.ustats += all.ustats;
    sum.duplicates += all.duplicates;
    sum.frames_lost += all.frames_lost;
    sum.cells += all.cells;
    sum.user_bytes += all.user_bytes;
    sum.given_up += all.given_up;
  }
  return sum;
}

CounterTable table_of(const std::deque<Connection>& connections) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"SSCOP connections",
                     {{"from host"},
                      {"to host"},
                      {"frames"},
                      {"again by STAT"},
                      {"again by USTAT"},
                      {"suppressed"},
                      {"POLL"},
                      {"STAT"},
                      {"USTAT"},
                      {"frames lost"},
                      {"cells"},
                      {"user bytes"},
                      {"given up"}},
                     {}};
  for (const Connection& connection : connections) {
    const SscopCounters all = total(connection);
    table.rows.push_back({static_cast<std::int64_t>(index(connection.from)),
                          static_cast<std::int64_t>(index(connection.to)), count(all.data),
                          count(all.again_by_stat), count(all.again_by_ustat), count(all.suppressed),
                          count(all.polls), count(all.stats), count(all.ustats), count(all.frames_lost),
                          count(all.cells), count(all.user_bytes), count(all.given_up)});
  }
  return table;
}

}  // namespace morgana::sscop
