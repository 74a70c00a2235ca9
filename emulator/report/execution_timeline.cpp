#include "emulator/report/execution_timeline.h"

#include <algorithm>

namespace morgana {
namespace {

using Spans = std::vector<ExecutionTimeline::Span>;

Spans on_steps(const Spans& spans, SimTime step, ExecutionTimeline& into) {
  Spans coarse;
  std::int64_t at = 0;  // the part that is being filled, and how far it is
  SimTime filled;
  const auto close = [&] {
    if (filled + filled >= step) into.add(coarse, step * at, step * (at + 1));
    filled = SimTime();
  };
  for (const ExecutionTimeline::Span& span : spans) {
    for (SimTime from = span.begin; from < span.end;) {
      const std::int64_t part = from.ps() / step.ps();
      if (part != at) close();
      at = part;
      const SimTime until = std::min(span.end, step * (part + 1));
      filled += until - from;
      from = until;
    }
  }
  close();
  return coarse;
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
    for (const auto& [number, stream] : rank.streams) own.streams[number] = on_steps(stream, step, coarse);
    own.hidden = on_steps(rank.hidden, step, coarse);
    own.exposed = on_steps(rank.exposed, step, coarse);
  }
  coarse.end = timeline.end;
  return coarse;
}

}  // namespace morgana
