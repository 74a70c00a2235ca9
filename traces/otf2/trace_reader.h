#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "traces/otf2/location_reader.h"
#include "traces/otf2/trace_definitions.h"

namespace morgana {

/// Some neighbouring ranks' locations, opened by an OTF2 reader of their own. OTF2 looks for a location along
/// all that a reader has opened: a reader for many costs their square.
class LocationGroup {
 public:
  static constexpr std::size_t most = 32;

  /// @param anchor  the trace's .otf2 file
  /// @param definitions  must outlive this
  /// @param count  at most `most`
  /// @param miscounted  must outlive this
  LocationGroup(const std::filesystem::path& anchor, const TraceDefinitions& definitions, Rank first,
                std::size_t count, MiscountedLocations& miscounted);

  /// Takes a file descriptor and OTF2's chunk of the trace's records as long as it lives, and must not
  /// outlive the group. To be called once for each rank.
  std::unique_ptr<LocationReader> open(Rank rank);

 private:
  struct Close {
    void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
  };
  void read_local_definitions(Rank first, std::size_t count);

  const std::filesystem::path anchor_;
  const TraceDefinitions& definitions_;
  MiscountedLocations& miscounted_;
  std::unique_ptr<OTF2_Reader, Close> reader_;
  std::uint64_t chunk_ = 0;  ///< of files of events, in bytes
};

/// An OTF2 trace of an MPI program, ours or another tool's, record by record and rank by rank. Only the
/// ranks' main locations are read; further threads, accelerators and metrics are skipped. At most
/// LocationGroup::most locations are open at a time.
class TraceReader {
 public:
  /// @param trace  the folder, or its .otf2 anchor file
  /// @throws Error for what is missing, truncated or contradicts itself
  explicit TraceReader(const std::filesystem::path& trace);
  ~TraceReader();

  const std::filesystem::path& anchor() const { return anchor_; }
  const TraceDefinitions& definitions() const { return definitions_; }
  std::size_t ranks() const { return definitions_.ranks.size(); }
  /// Valid until a location of another group is asked for: those of ranks 0 to 31 are one, and so on. Reads a
  /// location of a group that was left anew from its begin.
  LocationReader& location(Rank rank);
  /// Opens the group of a rank for itself alone. @param rank  the group's first
  std::unique_ptr<LocationGroup> open_group(Rank rank) const;

  /// How much of all ranks' records has been read, 0 to 1.
  double progress() const;
  /// Sentences for the user: skipped locations; wrong numbers of records, of the locations that have been
  /// read to their end.
  std::vector<std::string> notices() const;

 private:
  void leave_group();

  std::filesystem::path anchor_;
  TraceDefinitions definitions_;
  std::unique_ptr<MiscountedLocations> miscounted_ = std::make_unique<MiscountedLocations>();
  std::uint64_t records_ = 0;      ///< of all ranks, as announced
  std::uint64_t read_before_ = 0;  ///< in groups that were left
  std::size_t group_number_ = 0;
  std::unique_ptr<LocationGroup> group_;
  std::vector<std::unique_ptr<LocationReader>> locations_;  ///< of the group
};

}  // namespace morgana
