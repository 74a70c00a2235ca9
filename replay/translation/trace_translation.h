#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "replay/translation/scratch_stream.h"
#include "replay/translation/translation_cache.h"
#include "traces/otf2/trace_reader.h"

namespace morgana {

/// A trace as streams of encoded operations, one for each rank. Read in one pass, location after location,
/// so that neither descriptors nor memory grow with the ranks beyond their entries here.
class TraceTranslation {
 public:
  /// @param cache  where a translation of the same trace may be, and is left for the next time
  /// @param progress  called now and then with the share done, 0 to 1; may throw; may be empty
  /// @throws Error if the trace can't be opened. What is wrong with a rank's records is an error where the
  ///     replay comes to it: a rank that another ends before needs no sound end.
  explicit TraceTranslation(const std::filesystem::path& trace,
                            const std::function<void(double)>& progress = {},
                            const std::optional<TranslationCache>& cache = TranslationCache::of_user());

  const TraceDefinitions& definitions() const { return reader_.definitions(); }
  std::size_t ranks() const { return ranks_.begin.size() - 1; }
  std::span<const std::uint8_t> operations(Rank rank) const {
    return operations_.subspan(ranks_.begin[index(rank)],
                               ranks_.begin[index(rank) + 1] - ranks_.begin[index(rank)]);
  }
  /// What is wrong with the rank's records behind its last operation; nothing if that is its exit.
  const std::string* error(Rank rank) const {
    const auto found = ranks_.errors.find(rank);
    return found == ranks_.errors.end() ? nullptr : &found->second;
  }
  /// Sentences for the user: skipped locations, unmatched messages.
  const std::vector<std::string>& notices() const { return ranks_.notices; }
  /// Whether it was in the cache.
  bool was_kept() const { return operations_.data() != stream_.bytes().data(); }

 private:
  struct Common;
  void translate(const std::function<void(double)>& progress);
  void translate(Rank rank, LocationReader& location, Common& common);

  TraceReader reader_;
  ScratchStream stream_;
  std::optional<KeptTranslation> kept_;
  std::span<const std::uint8_t> operations_;  ///< in one of these two
  TranslatedRanks ranks_;
};

}  // namespace morgana
