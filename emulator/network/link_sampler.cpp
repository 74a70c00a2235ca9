#include "emulator/network/link_sampler.h"

#include <algorithm>

namespace morgana {
namespace {

/// Shares of windows, from what has been counted since time 0 at each end of one. Some networks count what is
/// handed to a link at once, which the link then sends one after the other: what is too much for a window
/// goes on in the next.
class Shares {
 public:
  float next(double counted, SimTime window) {
    const auto length = static_cast<double>(window.ps());
    const double waiting = counted - told_;
    const double now = std::clamp(waiting, 0.0, length);
    told_ += now;
    return static_cast<float>(now / length);
  }

 private:
  double told_ = 0;
};

}  // namespace

LinkSampler::LinkSampler(EventQueue& events, NetworkDiagnostics& network, SimTime first, std::size_t most)
    : events_(events), network_(network), distance_(first), most_(most) {
  const NetworkLinks links = network_.links(events_.now());
  samples_.push_back(sample(SimTime(), links));
  if (links.loads.empty()) return;
  constexpr std::size_t most_values = 4'000'000;
  most_ =
      std::clamp<std::size_t>(most_values / links.loads.size() / 2 * 2, 32, std::max<std::size_t>(most, 32));
  events_.schedule_upkeep(distance_, *this);
}

LinkSampler::Sample LinkSampler::sample(SimTime at, const NetworkLinks& links) const {
  Sample taken{at, {}, {}, {}};
  const auto time = static_cast<double>(at.ps());
  for (const LinkLoad& load : links.loads) {
    taken.busy.push_back(load.utilisation * time);
    if (load.stopped) taken.stopped.push_back(*load.stopped * time);
    if (load.queued) taken.queued.push_back(*load.queued);
  }
  return taken;
}

void LinkSampler::handle(std::uint64_t) {
  events_.upkeep_handled();
  if (closed_) return;
  const SimTime now = events_.now();
  samples_.push_back(sample(now, network_.links(now)));
  if (samples_.size() > most_) {
    std::vector<Sample> kept;
    for (std::size_t i = 0; i < samples_.size(); i += 2) kept.push_back(std::move(samples_[i]));
    samples_ = std::move(kept);
    distance_ += distance_;
  }
  const SimTime next = samples_.back().at + distance_;
  if (next <= EventQueue::latest) events_.schedule_upkeep(next, *this);
}

void LinkSampler::close(SimTime end) {
  closed_ = true;
  NetworkLinks links = network_.links(std::max(end, events_.now()));
  if (end > samples_.back().at) samples_.push_back(sample(std::max(end, events_.now()), links));
  history_ = {distance_, end, std::move(links.loads), {}, {}, {}};
  for (std::size_t link = 0; link < history_.links.size(); ++link) {
    Shares busy, stopped;
    for (std::size_t i = 1; i < samples_.size(); ++i) {
      const Sample& sample = samples_[i];
      const SimTime window = sample.at - samples_[i - 1].at;
      history_.busy.push_back(busy.next(sample.busy[link], window));
      if (sample.stopped.size() == history_.links.size())
        history_.stopped.push_back(stopped.next(sample.stopped[link], window));
      if (sample.queued.size() == history_.links.size()) history_.queued.push_back(sample.queued[link]);
    }
  }
}

}  // namespace morgana
