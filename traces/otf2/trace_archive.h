#pragma once

#include <otf2/otf2.h>

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/otf2/network_metrics.h"
#include "traces/otf2/trace_communicators.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {

/// An OTF2 archive being written in an existing folder: one event writer a rank, and at the end the
/// definitions, laid out as Score-P does (machine and nodes, a process with one location a rank, regions,
/// groups, communicators). Memory is bounded by one chunk a rank; a full one goes to the rank's file.
class TraceArchive {
 public:
  TraceArchive(const std::filesystem::path& folder, const TraceProperties& properties);
  ~TraceArchive();
  TraceArchive(const TraceArchive&) = delete;
  TraceArchive& operator=(const TraceArchive&) = delete;

  OTF2_EvtWriter* events(Rank rank) { return writers_[index(rank)]; }
  /// The next rank, which begins while the run is being recorded.
  void add_rank(const std::string& host);
  /// The reference of a text; the same text has one reference.
  OTF2_StringRef string(const std::string& text);
  /// The region of a call, defined at its first use.
  OTF2_RegionRef region(Call call);
  static constexpr OTF2_ParameterRef operation_parameter_reference = 0;
  static constexpr OTF2_ParameterRef completed_parameter_reference = 1;

  /// TraceProperties::tags_name_endpoints, where that is known only while the run is being recorded.
  void note_endpoints();
  /// What the network did, at a location of its own behind those of the ranks.
  void set_metrics(NetworkMetrics metrics) { metrics_ = std::move(metrics); }

  /// Writes all definitions and closes the archive. @param length  of the run
  /// @param broken_off  TraceProperties::broken_off
  void finish(const TraceCommunicators& communicators, SimTime length, const std::string& broken_off);

 private:
  void set_properties();
  void write_metrics();
  bool has_metrics() const { return !metrics_.series.empty(); }
  std::size_t locations() const { return writers_.size() + (has_metrics() ? 1 : 0); }
  void write_local_definitions();
  void write_strings();
  void write_system_tree();
  void write_regions();
  void write_communicators(const TraceCommunicators& communicators);

  struct CloseArchive {
    void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
  };
  TraceProperties properties_;
  std::vector<OTF2_EvtWriter*> writers_;
  std::vector<std::uint64_t> event_counts_;  ///< by location: the ranks', and that of the metrics
  NetworkMetrics metrics_;
  std::vector<std::string> strings_;
  std::unordered_map<std::string, OTF2_StringRef> string_references_;  // looked up only, never walked
  std::vector<Call> regions_;                                          // by reference
  std::vector<OTF2_RegionRef> region_of_;                              // by call
  OTF2_GlobalDefWriter* definitions_ = nullptr;
  std::unique_ptr<OTF2_Archive, CloseArchive> archive_;
};

}  // namespace morgana
