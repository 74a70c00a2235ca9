#include "emulator/transport/ece/receiver.h"

namespace morgana::ece {

// The gap is told first: the sender still is in the mode in which it asks for USTAT.
Receiver::Answers Receiver::take(const Sd& sd, Path over, SimTime now, const pcaal::ElementPiece& piece,
                                 std::vector<pcaal::ElementPiece>& in_order) {
  Answers answers;
  const auto gap = data_.take(sd.data.ns, piece, in_order);
  if (gap && gaps_are_told(engine_, mode())) {
    answers.emplace_back(*gap);
    ++counters_.ustats;
  }
  if (over == Path::ordinary && data_are_monitored(engine_, mode())) {
    const Stamp sent = restored_from_sd(sd.sent, stamp_of(now));
    if (monitor_.measured(microseconds(sent, stamp_of(now)))) tell_of_change(sent, answers);
  }
  return answers;
}

// An LSTAT that a POLL causes says what its STAT would have said.
Receiver::Answers Receiver::take(const Poll& poll, Path over, SimTime now) {
  const bool latest = data_.note(poll.poll);
  Answers answers;
  if (over == Path::ordinary && monitoring_came(poll.sent, now)) {
    tell_of_change(poll.sent, answers);
  } else if (latest) {
    for (pcaal::Stat& cell : data_.report(poll.poll.ns, longest_stat))
      answers.emplace_back(Stat{std::move(cell), mode()});
    ++counters_.stats;
  }
  return answers;
}

Receiver::Answers Receiver::take(const Lme& lme, SimTime now) {
  Answers answers;
  if (monitoring_came(lme.sent, now)) tell_of_change(lme.sent, answers);
  return answers;
}

Receiver::Answers Receiver::miss() {
  const LatencyMode before = mode();
  const SimTime sent = monitor_.missed();
  ++counters_.missing;
  Answers answers;
  if (mode() != before) tell_of_change(stamp_of(sent), answers);
  return answers;
}

// @return whether the mode has changed
bool Receiver::monitoring_came(Stamp sent, SimTime now) {
  const std::int64_t latency = microseconds(sent, stamp_of(now));
  monitor_.came(now - latency * stamp_unit);
  return monitor_.measured(latency);
}

void Receiver::tell_of_change(Stamp since, Answers& answers) {
  for (pcaal::Stat& cell : data_.report(data_.vr_r(), longest_lstat))
    answers.emplace_back(Lstat{std::move(cell), mode(), since});
  ++counters_.lstats;
}

}  // namespace morgana::ece
