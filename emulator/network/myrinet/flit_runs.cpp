#include "emulator/network/myrinet/flit_runs.h"

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

FlitRuns::FlitRuns(Agenda agenda, std::size_t channels, Time flit, Time cable)
    : agenda_(agenda),
      flit_(flit),
      cable_(cable),
      room_(static_cast<std::size_t>(cable / flit) + 4),
      on_cable_(channels),
      runs_(channels * room_) {}

Count FlitRuns::started(const Channel& channel) const {
  if (!channel.running) return channel.run_end;
  return std::min(channel.run_end, channel.run_first + (agenda_.now() - channel.run_start) / flit_ + 1);
}

Count FlitRuns::started_before_now(const Channel& channel) const {
  if (!channel.running) return channel.run_end;
  return std::min(channel.run_end,
                  channel.run_first + (agenda_.now() - channel.run_start + flit_ - 1) / flit_);
}

Time FlitRuns::arrival(Index channel, Count flit) const {
  const OnCable& line = on_cable_[channel];
  const Run* runs = &runs_[channel * room_];
  if (line.runs == 0) return flit < line.before ? long_ago : never;
  if (flit >= runs[line.runs - 1].end) return never;
  for (std::uint32_t place = line.runs; place-- > 0;) {
    if (flit < runs[place].first) continue;
    return runs[place].start + (flit - runs[place].first) * flit_ + cable_;
  }
  return long_ago;
}

Count FlitRuns::arrived(Index channel) const {
  const OnCable& line = on_cable_[channel];
  const Run* runs = &runs_[channel * room_];
  for (std::uint32_t place = line.runs; place-- > 0;) {
    const Time since = agenda_.now() - cable_ - runs[place].start;
    if (since >= 0) return std::min(runs[place].end, runs[place].first + since / flit_ + 1);
  }
  return line.runs > 0 ? runs[0].first : line.before;
}

Count FlitRuns::there_in_time(Index channel, Count from, Count all) const {
  const OnCable& line = on_cable_[channel];
  const Run* runs = &runs_[channel * room_];
  Count end = line.runs > 0 ? runs[0].first : line.before;
  for (std::uint32_t place = 0; place < line.runs && end < all; ++place) {
    const Run& run = runs[place];
    if (run.first > from && agenda_.now() + (run.first - from) * flit_ < run.start + cable_) break;
    end = run.end;
  }
  return end;
}

void FlitRuns::remember(Index channel, Time start, Count first, Count end) {
  OnCable& line = on_cable_[channel];
  Run* runs = &runs_[channel * room_];
  if (line.runs > 0) {
    Run& last = runs[line.runs - 1];
    assert(last.end == first);
    if (last.start + (last.end - last.first) * flit_ == start) {
      last.end = end;
      return;
    }
    std::uint32_t over = 0;  // all their flits have arrived
    while (over < line.runs &&
           runs[over].start + (runs[over].end - runs[over].first - 1) * flit_ + cable_ <= agenda_.now())
      ++over;
    if (over > 0) {
      std::copy(runs + over, runs + line.runs, runs);
      line.runs -= over;
    }
  }
  assert(line.runs < room_);
  runs[line.runs++] = {start, first, end};
}

void FlitRuns::end_last(Index channel, Count end) {
  OnCable& line = on_cable_[channel];
  Run& last = runs_[channel * room_ + line.runs - 1];
  last.end = end;
  if (last.first < end) return;
  --line.runs;
  line.before = end;
}

}  // namespace morgana::myrinet
