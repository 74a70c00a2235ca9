#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "replay/translation/kept_translation.h"

namespace morgana {

/// Translations of traces that are kept from one run of the command to the next: a file each in one folder,
/// named by the trace's content and by this build of the command, so that another one's is never taken for
/// its own. A file is written beside and renamed, so that it is there whole or not at all; a checksum detects
/// what has been damaged since, which then counts as not there. What can't be kept is not: no error of a
/// cache ends a replay.
class TranslationCache {
 public:
  static constexpr std::uint64_t usual_limit = std::uint64_t{2} << 30;
  static constexpr std::uint64_t usual_least = std::uint64_t{1} << 20;

  /// $MORGANA_CACHE, or morgana below $XDG_CACHE_HOME or ~/.cache; nothing if $MORGANA_CACHE is "off" or no
  /// home is known.
  static std::optional<TranslationCache> of_user();
  /// @param limit  bytes of all files together; those that were not used for longest make space
  /// @param least  bytes of a trace that is worth it
  explicit TranslationCache(std::filesystem::path folder, std::uint64_t limit = usual_limit,
                            std::uint64_t least = usual_least)
      : folder_(std::move(folder)), limit_(limit), least_(least) {}

  const std::filesystem::path& folder() const { return folder_; }
  /// What the trace's translation is called; nothing if the trace is too small, or can't be read.
  /// @param reading  called now and then; may throw, and be empty
  std::optional<std::string> name_of(const std::filesystem::path& anchor,
                                     const std::function<void()>& reading) const;
  /// Nothing if there is none, or only a damaged one. What is found counts as used now.
  std::optional<KeptTranslation> find(const std::string& name) const;
  /// As far as there is space.
  void keep(const std::string& name, std::span<const std::uint8_t> operations,
            const TranslatedRanks& ranks) const;

  struct Use {
    std::size_t files = 0;
    std::uint64_t bytes = 0;
  };
  Use use() const;
  /// @return what was removed @throws Error if something can't be
  Use clear() const;

 private:
  struct File;
  std::vector<File> files() const;
  void make_room(std::uint64_t bytes) const;

  std::filesystem::path folder_;
  std::uint64_t limit_, least_;
};

}  // namespace morgana
