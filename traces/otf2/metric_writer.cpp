#include "traces/otf2/metric_writer.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "traces/otf2/otf2_error.h"

namespace morgana {
namespace {

constexpr const char* writing_metrics = "write the trace";

struct MetricPoint {
  SimTime at;
  OTF2_MetricRef series;
  double value;
};

}  // namespace

void write_metric_events(OTF2_EvtWriter* writer, const NetworkMetrics& metrics) {
  std::vector<MetricPoint> points;
  for (std::size_t i = 0; i < metrics.series.size(); ++i)
    for (const auto& [at, value] : metrics.series[i].points)
      points.push_back({at, static_cast<OTF2_MetricRef>(i), value});
  std::ranges::stable_sort(points, {}, [](const MetricPoint& point) { return point.at; });
  const OTF2_Type type = OTF2_TYPE_DOUBLE;
  for (const MetricPoint& point : points) {
    OTF2_MetricValue value;
    value.floating_point = point.value;
    check_otf2(OTF2_EvtWriter_Metric(writer, nullptr, static_cast<std::uint64_t>(point.at.ps()), point.series,
                                     1, &type, &value),
               writing_metrics);
  }
}

void write_metric_definitions(OTF2_GlobalDefWriter* writer, const NetworkMetrics& metrics,
                              OTF2_LocationRef location,
                              const std::function<OTF2_StringRef(const std::string&)>& reference_of) {
  for (std::size_t i = 0; i < metrics.series.size(); ++i) {
    const NetworkMetrics::Series& series = metrics.series[i];
    const auto member = static_cast<OTF2_MetricMemberRef>(i);
    const auto metric = static_cast<OTF2_MetricRef>(i);
    check_otf2(
        OTF2_GlobalDefWriter_WriteMetricMember(
            writer, member, reference_of(series.name), reference_of(series.name), OTF2_METRIC_TYPE_OTHER,
            series.accumulated ? OTF2_METRIC_ACCUMULATED_START : OTF2_METRIC_ABSOLUTE_NEXT, OTF2_TYPE_DOUBLE,
            OTF2_BASE_DECIMAL, 0, reference_of(series.unit)),
        writing_metrics);
    check_otf2(OTF2_GlobalDefWriter_WriteMetricClass(writer, metric, 1, &member, OTF2_METRIC_ASYNCHRONOUS,
                                                     OTF2_RECORDER_KIND_ABSTRACT),
               writing_metrics);
    check_otf2(OTF2_GlobalDefWriter_WriteMetricClassRecorder(writer, metric, location), writing_metrics);
  }
}

}  // namespace morgana
