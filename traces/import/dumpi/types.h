#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "traces/import/dumpi/file.h"

namespace morgana::dumpi {

/// Bytes of one element of a rank's datatypes: of those that its calls have made and not yet freed from what
/// they are made of, of the other ones from the file's table.
class TypeSizes {
 public:
  explicit TypeSizes(const RankFile& file) : file_(file) {}

  /// A call that makes, measures or frees a type; other ones mean nothing here.
  void see(const Record& record);
  /// Nothing if no call and no table says it.
  std::optional<std::int64_t> size(std::int64_t type) const;

 private:
  void make(std::int64_t type, std::int64_t elements, std::int64_t of);
  void make_structure(const Record& record);

  const RankFile& file_;
  std::unordered_map<std::int64_t, std::int64_t> made_;
};

}  // namespace morgana::dumpi
