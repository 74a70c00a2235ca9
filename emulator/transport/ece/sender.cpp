#include "emulator/transport/ece/sender.h"

#include <algorithm>

namespace morgana::ece {

std::optional<pcaal::OutgoingSd> Sender::next(SimTime now) {
  const auto data = data_.next();
  if (data && engine_ == LatencyEngine::duplicating && mode_ == LatencyMode::low) {
    while (!singles_.empty() && pcaal::Numbers::behind(data_.vt_a(), singles_.front().ns))
      singles_.pop_front();
    singles_.push_back({data->ns, now});
  }
  return data;
}

// Each N_POLL-th monitoring is done by the POLL itself, if that takes the monitored connection.
std::vector<Sender::Monitoring> Sender::monitor(SimTime now) {
  const Stamp stamp = stamp_of(now);
  const bool polls = ++since_poll_ >= polls_;
  if (polls) since_poll_ = 0;
  std::vector<Monitoring> cells;
  if (polls && polls_monitor(engine_, mode_)) {
    cells.push_back({Poll{data_.poll(), stamp}, Path::ordinary});
  } else {
    cells.push_back({Lme{stamp}, Path::ordinary});
    if (polls) cells.push_back({Poll{data_.poll(), stamp}, Path::backup});
  }
  return cells;
}

bool Sender::take(const Stat& stat) {
  enter(stat.mode);
  return data_.take(stat.status);
}

// Retransmit3 comes before everything else, so that it takes SDs, too, that the LSTAT acknowledges. An LSTAT
// of several cells changes the mode once.
bool Sender::take(const Lstat& lstat, std::vector<pcaal::OutgoingSd>& late) {
  if (mode_ == LatencyMode::low && lstat.mode == LatencyMode::high) late = sent_since(lstat.since);
  enter(lstat.mode);
  return data_.take(lstat.status);
}

bool Sender::take(const Ustat& ustat) {
  return gaps_are_told(engine_, mode_) && data_.take(ustat);
}

void Sender::enter(LatencyMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  ++changes_;
  singles_.clear();
}

std::vector<pcaal::OutgoingSd> Sender::sent_since(Stamp since) {
  std::vector<Number> numbers;
  for (const Single& single : singles_)
    if (microseconds(since, stamp_of(single.at)) >= 0) numbers.push_back(single.ns);
  // One that was sent again stands there twice.
  std::ranges::sort(numbers, {}, [&](Number ns) { return pcaal::Numbers::distance(data_.vt_a(), ns); });
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<pcaal::OutgoingSd> late;
  for (const Number ns : numbers)
    if (const auto data = data_.repeat(ns)) late.push_back(*data);
  return late;
}

}  // namespace morgana::ece
