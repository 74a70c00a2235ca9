#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// What a pass over a trace gives, other than its definitions.
struct TranslatedRanks {
  std::vector<std::size_t> begin;      ///< of each rank's operations among all, and the end of the last
  std::map<Rank, std::string> errors;  ///< what is wrong with a rank's records behind its last operation
  std::vector<std::string> notices;    ///< sentences for the user
};

/// A file of the cache, mapped.
class KeptTranslation {
 public:
  KeptTranslation(const std::uint8_t* mapped, std::size_t size) : mapped_(mapped), size_(size) {}
  ~KeptTranslation();
  KeptTranslation(KeptTranslation&& other) noexcept
      : ranks(std::move(other.ranks)),
        operations(other.operations),
        mapped_(std::exchange(other.mapped_, nullptr)),
        size_(other.size_) {}
  KeptTranslation& operator=(KeptTranslation&&) = delete;

  TranslatedRanks ranks;
  std::span<const std::uint8_t> operations;

 private:
  const std::uint8_t* mapped_;
  std::size_t size_;
};

/// Writes such a file from its begin. @return whether all of it could be written
bool write_translation(int file, std::span<const std::uint8_t> operations, const TranslatedRanks& ranks);
/// How long that file becomes.
std::uint64_t size_of_translation(std::span<const std::uint8_t> operations, const TranslatedRanks& ranks);
/// Nothing if there is none, or one that is damaged.
std::optional<KeptTranslation> open_translation(const std::filesystem::path& path);

}  // namespace morgana
