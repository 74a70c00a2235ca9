#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/scratch_stream.h"
#include "traces/trace_reader.h"

namespace morgana {

/// A trace as streams of encoded operations, one for each rank. Read in one pass, location after location,
/// so that neither descriptors nor memory grow with the ranks beyond their entries here.
class TraceTranslation {
 public:
  /// @param progress  called now and then with the share done, 0 to 1; may throw; may be empty
  /// @throws Error if the trace can't be opened. What is wrong with a rank's records is an error where the
  ///     replay comes to it: a rank that another ends before needs no sound end.
  explicit TraceTranslation(const std::filesystem::path& trace,
                            const std::function<void(double)>& progress = {});

  const TraceDefinitions& definitions() const { return reader_.definitions(); }
  std::size_t ranks() const { return begin_.size() - 1; }
  std::span<const std::uint8_t> operations(Rank rank) const {
    return stream_.bytes().subspan(begin_[index(rank)], begin_[index(rank) + 1] - begin_[index(rank)]);
  }
  /// What is wrong with the rank's records behind its last operation; nothing if that is its exit.
  const std::string* error(Rank rank) const {
    const auto found = errors_.find(rank);
    return found == errors_.end() ? nullptr : &found->second;
  }
  /// Sentences for the user: skipped locations, unmatched messages.
  const std::vector<std::string>& notices() const { return notices_; }

 private:
  struct Common;
  void translate(Rank rank, LocationReader& location, Common& common);

  TraceReader reader_;
  ScratchStream stream_;
  std::vector<std::size_t> begin_;  ///< of each rank's operations, and the end of the last
  std::map<Rank, std::string> errors_;
  std::vector<std::string> notices_;
};

}  // namespace morgana
