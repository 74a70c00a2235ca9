#include "traces/otf2/network_metrics.h"

#include <fmt/format.h>
#include <otf2/otf2.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "traces/otf2/metric_writer.h"
#include "traces/otf2/otf2_error.h"
#include "traces/otf2/trace_reader.h"
#include "traces/otf2/whole_file.h"

namespace morgana {
namespace {

constexpr const char* reading_metrics = "read the trace's metrics";

/// Definitions as they come, and then the points of the metric location.
struct FoundMetrics {
  struct Member {
    OTF2_StringRef name = 0, unit = 0;
    bool accumulated = false;
  };
  std::map<OTF2_StringRef, std::string> strings;
  std::map<OTF2_MetricMemberRef, Member> members;
  std::map<OTF2_MetricRef, OTF2_MetricMemberRef> classes;  ///< of one member each
  struct Location {
    OTF2_LocationRef reference;
    OTF2_StringRef name;
    std::uint64_t records;
  };
  std::vector<Location> locations;               ///< that hold metrics
  std::map<OTF2_MetricRef, std::size_t> series;  ///< by class
  NetworkMetrics metrics;
};

FoundMetrics& metrics_found(void* user) {
  return *static_cast<FoundMetrics*>(user);
}

OTF2_CallbackCode take_string(void* user, OTF2_StringRef self, const char* text) {
  metrics_found(user).strings[self] = text;
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_member(void* user, OTF2_MetricMemberRef self, OTF2_StringRef name, OTF2_StringRef,
                              OTF2_MetricType, OTF2_MetricMode mode, OTF2_Type, OTF2_Base, std::int64_t,
                              OTF2_StringRef unit) {
  metrics_found(user).members[self] = {name, unit, mode == OTF2_METRIC_ACCUMULATED_START};
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_class(void* user, OTF2_MetricRef self, std::uint8_t count,
                             const OTF2_MetricMemberRef* members, OTF2_MetricOccurrence, OTF2_RecorderKind) {
  if (count == 1) metrics_found(user).classes[self] = members[0];
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_location(void* user, OTF2_LocationRef self, OTF2_StringRef name,
                                OTF2_LocationType type, std::uint64_t records, OTF2_LocationGroupRef) {
  if (type == OTF2_LOCATION_TYPE_METRIC) metrics_found(user).locations.push_back({self, name, records});
  return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode take_metric(OTF2_LocationRef, OTF2_TimeStamp time, std::uint64_t, void* user,
                              OTF2_AttributeList*, OTF2_MetricRef metric, std::uint8_t count,
                              const OTF2_Type* types, const OTF2_MetricValue* values) {
  const auto series = metrics_found(user).series.find(metric);
  if (series == metrics_found(user).series.end() || count != 1 || types[0] != OTF2_TYPE_DOUBLE)
    return OTF2_CALLBACK_SUCCESS;
  metrics_found(user).metrics.series[series->second].points.emplace_back(
      SimTime::from_ps(static_cast<std::int64_t>(time)), values[0].floating_point);
  return OTF2_CALLBACK_SUCCESS;
}

using MetricReader = std::unique_ptr<OTF2_Reader, OTF2_ErrorCode (*)(OTF2_Reader*)>;

void read_metric_definitions(FoundMetrics& to, OTF2_Reader* reader) {
  OTF2_GlobalDefReader* definitions = check_otf2(OTF2_Reader_GetGlobalDefReader(reader), reading_metrics);
  OTF2_GlobalDefReaderCallbacks* callbacks = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetStringCallback(callbacks, take_string);
  OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(callbacks, take_member);
  OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(callbacks, take_class);
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, take_location);
  const OTF2_ErrorCode registered =
      OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, &to);
  OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
  check_otf2(registered, reading_metrics);
  std::uint64_t read = 0;
  check_otf2(OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read), reading_metrics);
}

/// @param bytes  of the location's file: it can't hold more records
void read_metric_events(FoundMetrics& to, OTF2_Reader* reader, const FoundMetrics::Location& location,
                        std::uint64_t bytes) {
  check_otf2(OTF2_Reader_SelectLocation(reader, location.reference), reading_metrics);
  check_otf2(OTF2_Reader_OpenEvtFiles(reader), reading_metrics);
  OTF2_EvtReader* events = check_otf2(OTF2_Reader_GetEvtReader(reader, location.reference), reading_metrics);
  OTF2_EvtReaderCallbacks* callbacks = OTF2_EvtReaderCallbacks_New();
  OTF2_EvtReaderCallbacks_SetMetricCallback(callbacks, take_metric);
  const OTF2_ErrorCode registered = OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &to);
  OTF2_EvtReaderCallbacks_Delete(callbacks);
  check_otf2(registered, reading_metrics);
  // OTF2's own way to read all of them does not come back from a file that is damaged.
  constexpr std::uint64_t at_once = 4096;
  std::uint64_t read = 0;
  for (std::uint64_t count = at_once; count == at_once && read <= bytes; read += count)
    check_otf2(OTF2_Reader_ReadLocalEvents(reader, events, at_once, &count), reading_metrics);
  if (read != location.records)
    throw Error(
        fmt::format("the network's metrics have {} records, of {} that there should be: the trace is damaged",
                    read, location.records));
  check_otf2(OTF2_Reader_CloseEvtReader(reader, events), reading_metrics);
  check_otf2(OTF2_Reader_CloseEvtFiles(reader), reading_metrics);
}

}  // namespace

NetworkMetrics read_network_metrics(const std::filesystem::path& trace) {
  const TraceReader checked(trace);  // its anchor and definitions
  if (!checked.definitions().ours) return {};
  FoundMetrics all;
  const MetricReader reader(check_otf2(OTF2_Reader_Open(checked.anchor().c_str()), reading_metrics),
                            OTF2_Reader_Close);
  check_otf2(OTF2_Reader_SetSerialCollectiveCallbacks(reader.get()), reading_metrics);
  read_metric_definitions(all, reader.get());
  for (const auto& [metric, member] : all.classes) {
    const auto definition = all.members.find(member);
    if (definition == all.members.end())
      throw Error(fmt::format("{}: a metric has a member that the trace does not define: record it again",
                              trace.string()));
    all.series[metric] = all.metrics.series.size();
    all.metrics.series.push_back({all.strings[definition->second.name],
                                  all.strings[definition->second.unit],
                                  definition->second.accumulated,
                                  {}});
  }
  for (const FoundMetrics::Location& location : all.locations)
    if (all.strings[location.name] == metric_location_name) {
      const std::uint64_t bytes =
          size_of_whole(file_of_location(checked.anchor(), location.reference, "evt"));
      read_metric_events(all, reader.get(), location, bytes);
    }
  return std::move(all.metrics);
}

}  // namespace morgana
