#include "emulator/report/execution_timeline.h"

#include <algorithm>
#include <array>
#include <utility>

namespace morgana {
namespace {

using Spans = std::vector<ExecutionTimeline::Span>;

/// Fills parts of the time with one kind each. What a part lacks or has too much of each kind is carried into
/// the next one, so that the kinds' totals stay within a part or so. The last kind is idle: it has no spans.
template <std::size_t kinds>
class Parts {
 public:
  Parts(ExecutionTimeline& into, SimTime step, SimTime end) : into_(into), step_(step), end_(end) {}

  /// In the order of time, without overlap.
  void add(std::size_t kind, ExecutionTimeline::Span span) {
    for (SimTime from = span.begin; from < span.end;) {
      const std::int64_t part = from.ps() / step_.ps();
      if (part != at_) close();
      at_ = part;
      const std::int64_t whole = from == step_ * part ? (span.end - from).ps() / step_.ps() : 0;
      if (whole > 0) {  // carries nothing
        into_.add(coarse[kind], from, from + step_ * whole);
        from += step_ * whole;
        continue;
      }
      const SimTime until = std::min(span.end, step_ * (part + 1));
      filled_[kind] += until - from;
      from = until;
    }
  }
  void close() {
    SimTime sum;
    for (const SimTime one : filled_) sum += one;
    if (sum == SimTime()) return;
    const SimTime begin = step_ * at_, until = std::min(end_, step_ * (at_ + 1));
    filled_.back() = std::max(SimTime(), until - begin - sum);
    std::size_t most = kinds;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      carried_[kind] += filled_[kind];
      if (filled_[kind] > SimTime() && (most == kinds || carried_[kind] > carried_[most])) most = kind;
    }
    carried_[most] -= until - begin;
    if (most + 1 < kinds) into_.add(coarse[most], begin, until);
    filled_ = {};
  }

  std::array<Spans, kinds - 1> coarse;  ///< complete after close()

 private:
  ExecutionTimeline& into_;
  SimTime step_, end_;
  std::array<SimTime, kinds> filled_{}, carried_{};
  std::int64_t at_ = 0;  // the part that is being filled
};

Spans coarse_stream(const Spans& spans, SimTime step, SimTime end, ExecutionTimeline& into) {
  Parts<2> parts(into, step, end);
  for (const ExecutionTimeline::Span& span : spans) parts.add(0, span);
  parts.close();
  return std::move(parts.coarse[0]);
}

void coarsen_communication(const ExecutionTimeline::OfRank& rank, SimTime step, SimTime end,
                           ExecutionTimeline& into, ExecutionTimeline::OfRank& own) {
  Parts<3> parts(into, step, end);
  auto hidden = rank.hidden.begin(), exposed = rank.exposed.begin();
  while (hidden != rank.hidden.end() || exposed != rank.exposed.end()) {
    const bool is_hidden =
        exposed == rank.exposed.end() || (hidden != rank.hidden.end() && hidden->begin < exposed->begin);
    parts.add(is_hidden ? 0 : 1, is_hidden ? *hidden++ : *exposed++);
  }
  parts.close();
  own.hidden = std::move(parts.coarse[0]);
  own.exposed = std::move(parts.coarse[1]);
}

}  // namespace

std::size_t ExecutionTimeline::spans() const {
  std::size_t count = 0;
  for (const OfRank& rank : ranks) {
    count += rank.hidden.size() + rank.exposed.size();
    for (const auto& [number, stream] : rank.streams) count += stream.size();
  }
  return count;
}

void ExecutionTimeline::add(std::vector<Span>& list, SimTime begin, SimTime until) {
  if (!(begin < until)) return;
  if (!list.empty() && list.back().end == begin)
    list.back().end = until;
  else
    list.push_back({begin, until});
  end = std::max(end, until);
}

ExecutionTimeline coarsened(const ExecutionTimeline& timeline, SimTime step) {
  ExecutionTimeline coarse;
  for (const ExecutionTimeline::OfRank& rank : timeline.ranks) {
    ExecutionTimeline::OfRank& own = coarse.ranks.emplace_back();
    for (const auto& [number, stream] : rank.streams)
      own.streams[number] = coarse_stream(stream, step, timeline.end, coarse);
    coarsen_communication(rank, step, timeline.end, coarse, own);
  }
  coarse.end = timeline.end;
  return coarse;
}

}  // namespace morgana
