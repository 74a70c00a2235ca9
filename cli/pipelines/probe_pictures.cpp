#include <fmt/format.h>

#include <algorithm>

#include "cli/pipelines/pipeline_units.h"
#include "cli/pipelines/probe_report.h"
#include "emulator/report/pictures/curves.h"

namespace morgana::cli {

using namespace pipeline;

void draw_probe(const std::string& file, const ProbeReport& report) {
  using Style = Curve::Style;
  Curve latency{"one message", {}, Style::marks}, latency_line{"(sum g, sum G)", {}, Style::line},
      interval{"back to back", {}, Style::marks}, interval_line{"(g_b, G_b)", {}, Style::line};
  bool costs = true;  // what takes no time has no place on a logarithmic axis
  for (const ProbedRange& range : report.result.ranges) {
    for (const ProbeSample& one : range.samples) {
      const double size = real(one.size).value();
      const RealTime through = range.latency.line.time_for(real(one.size)),
                     apart = range.interval.line.time_for(real(one.size));
      costs = costs && std::min({one.latency, one.interval, through, apart}) > RealTime();
      latency.points.push_back({size, us(one.latency)});
      latency_line.points.push_back({size, us(through)});
      interval.points.push_back({size, us(one.interval)});
      interval_line.points.push_back({size, us(apart)});
    }
  }
  Curves curves{fmt::format("{}: latency, and the interval of messages back to back", report.platform),
                "size (bytes)",
                "time (us)",
                true,
                costs,
                {},
                {latency_line, interval_line, latency, interval}};
  draw(curves, file);
}

}  // namespace morgana::cli
