#include "emulator/transport/assured/counters.h"

namespace morgana::assured {

void Counters::add(const SenderCounters& sender, const ReceiverCounters& receiver) {
  data += sender.data;
  again_by_stat += sender.again_by_stat;
  again_by_ustat += sender.again_by_ustat;
  suppressed += sender.suppressed;
  polls += sender.polls;
  stats += receiver.stats;
  ustats += receiver.ustats;
  duplicates += receiver.duplicates;
}

Counters& Counters::operator+=(const Counters& other) {
  data += other.data;
  again_by_stat += other.again_by_stat;
  again_by_ustat += other.again_by_ustat;
  suppressed += other.suppressed;
  polls += other.polls;
  stats += other.stats;
  ustats += other.ustats;
  duplicates += other.duplicates;
  user_bytes += other.user_bytes;
  given_up += other.given_up;
  return *this;
}

PathCounters& PathCounters::operator+=(const PathCounters& other) {
  cells += other.cells;
  data += other.data;
  carried += other.carried;
  lost += other.lost;
  return *this;
}

double overhead(std::uint64_t cells, std::uint64_t user_bytes) {
  const double octets = 53 * static_cast<double>(cells);
  return octets > 0 ? 1 - static_cast<double>(user_bytes) / octets : 0;
}

}  // namespace morgana::assured
