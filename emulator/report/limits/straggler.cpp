#include "emulator/report/limits/straggler.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

std::string saving_text(const StragglerReport& report, SimTime end) {
  if (end >= report.end) return "no earlier";
  const SimTime saved = report.end - end;
  return fmt::format("{} ({}) earlier", readable(saved),
                     readable_share(saved.seconds() / report.end.seconds()));
}

}  // namespace

const StragglerReport::Slow* StragglerReport::straggler() const {
  const Slow* best = nullptr;
  for (const Slow& one : slow)
    if (one.end < end && (best == nullptr || one.end < best->end)) best = &one;
  return best;
}

std::string straggler_text(const StragglerReport& report) {
  if (report.slow.empty())
    return fmt::format("none: no rank computes longer than the median rank ({})", readable(report.median));
  const StragglerReport::Slow* const found = report.straggler();
  const StragglerReport::Slow& shown = found != nullptr ? *found : report.slow.front();
  std::string text =
      found != nullptr
          ? fmt::format("rank {} delays the run: it computes {}, the median rank {}", shown.rank,
                        readable(shown.computes), readable(report.median))
          : fmt::format("no single rank delays the run: rank {} computes longest ({}, the median rank {})",
                        shown.rank, readable(shown.computes), readable(report.median));
  text += fmt::format("; replayed at the median, the run ends {}", saving_text(report, shown.end));
  if (report.above > 1)
    text += fmt::format(", with all {} slower ranks at the median {}", report.above,
                        saving_text(report, report.all_end));
  return text;
}

nlohmann::ordered_json straggler_json(const StragglerReport& report) {
  nlohmann::ordered_json json{{"median_compute_ps", report.median.ps()}, {"above_median", report.above}};
  json["ranks"] = nlohmann::ordered_json::array();
  for (const StragglerReport::Slow& one : report.slow)
    json["ranks"].push_back({{"rank", one.rank},
                             {"compute_ps", one.computes.ps()},
                             {"at_median_ps", one.end.ps()},
                             {"saved_ps", report.end.ps() - one.end.ps()}});
  json["all_at_median_ps"] = report.all_end.ps();
  json["all_saved_ps"] = report.end.ps() - report.all_end.ps();
  return json;
}

}  // namespace morgana
