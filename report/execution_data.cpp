#include "report/execution_data.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "report/packed.h"

namespace morgana {
namespace {

using nlohmann::json;

enum class SpanKind : std::uint8_t { computing, hidden, exposed };

/// Rows of spans one after the other.
struct Rows {
  json names = json::array();
  std::vector<std::uint32_t> rank, first;
  std::vector<double> begin, end;
  std::vector<SpanKind> kind;

  void begin_row(std::size_t number, const std::string& name) {
    rank.push_back(static_cast<std::uint32_t>(number));
    names.push_back(name);
    first.push_back(static_cast<std::uint32_t>(begin.size()));
  }
  void add(const ExecutionTimeline::Span& span, SpanKind what) {
    begin.push_back(static_cast<double>(span.begin.ps()));
    end.push_back(static_cast<double>(span.end.ps()));
    kind.push_back(what);
  }
};

Rows rows_of(const ExecutionTimeline& timeline) {
  Rows rows;
  for (std::size_t number = 0; number < timeline.ranks.size(); ++number) {
    const ExecutionTimeline::OfRank& rank = timeline.ranks[number];
    for (const auto& [stream, spans] : rank.streams) {
      rows.begin_row(number, "stream " + std::to_string(stream));
      for (const ExecutionTimeline::Span& span : spans) rows.add(span, SpanKind::computing);
    }
    rows.begin_row(number, "communication");
    auto hidden = rank.hidden.begin(), exposed = rank.exposed.begin();
    while (hidden != rank.hidden.end() || exposed != rank.exposed.end()) {
      const bool is_hidden =
          exposed == rank.exposed.end() || (hidden != rank.hidden.end() && hidden->begin < exposed->begin);
      rows.add(is_hidden ? *hidden++ : *exposed++, is_hidden ? SpanKind::hidden : SpanKind::exposed);
    }
  }
  rows.first.push_back(static_cast<std::uint32_t>(rows.begin.size()));
  return rows;
}

}  // namespace

json execution_data(const ExecutionTimeline& timeline, std::size_t most_spans) {
  constexpr std::int64_t parts_at_first = 1 << 16;
  SimTime step;
  ExecutionTimeline shown = timeline;
  for (std::int64_t parts = parts_at_first; shown.spans() > most_spans && parts > 1; parts /= 2) {
    step = SimTime::from_ps(timeline.end.ps() / parts + 1);
    shown = coarsened(timeline, step);
  }
  const Rows rows = rows_of(shown);
  const json kinds{"computing", "hidden", "exposed"};
  return {{"kinds", kinds},
          {"names", rows.names},
          {"rank", base64(rows.rank)},
          {"first", base64(rows.first)},
          {"begin_ps", base64(rows.begin)},
          {"end_ps", base64(rows.end)},
          {"kind", packed<std::uint8_t>(rows.kind, [](SpanKind kind) { return kind; })},
          {"step_ps", step.ps()}};
}

}  // namespace morgana
