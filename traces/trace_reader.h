#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "traces/location_reader.h"
#include "traces/trace_definitions.h"

namespace morgana {

/// An OTF2 trace of an MPI program, ours or another tool's, record by record and rank by rank. Only the
/// ranks' main locations are read; further threads, accelerators and metrics are skipped. Opens a file for
/// each rank.
class TraceReader {
 public:
  /// @param trace  the folder, or its .otf2 anchor file
  /// @throws Error for what is missing, truncated or contradicts itself
  explicit TraceReader(const std::filesystem::path& trace);
  ~TraceReader();

  const TraceDefinitions& definitions() const { return definitions_; }
  std::size_t ranks() const { return definitions_.ranks.size(); }
  LocationReader& location(Rank rank) { return locations_[index(rank)]; }

  /// How much of all ranks' records has been read, 0 to 1.
  double progress() const;
  /// Sentences for the user: skipped locations.
  std::vector<std::string> notices() const;

 private:
  struct Close {
    void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
  };
  void read_local_definitions();

  std::unique_ptr<OTF2_Reader, Close> reader_;
  TraceDefinitions definitions_;
  std::deque<LocationReader> locations_;
};

}  // namespace morgana
