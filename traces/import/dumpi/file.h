#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/dumpi/calls.h"
#include "traces/import/mapped_text.h"

namespace morgana::dumpi {

/// What a receive has got, or a probe has found; of a send it means nothing.
struct ReceiveStatus {
  std::int64_t bytes = 0;
  std::int32_t source = -1, tag = -1;
  bool cancelled = false;
};

/// One call of a rank.
struct Record {
  std::size_t offset = 0;  ///< in the file, in bytes
  Function function = Function::end_of_stream;
  std::uint16_t thread = 0;
  bool timed = false;                            ///< whether enter and leave are known
  std::int64_t enter = 0, leave = 0;             ///< in nanoseconds since any one instant of the rank's
  std::vector<std::int64_t> numbers;             ///< arguments that are single numbers, in order
  std::vector<std::vector<std::int32_t>> lists;  ///< those that are lists of numbers, in order
  std::vector<ReceiveStatus> statuses;
};

/// One rank's file: big-endian, a body of records, and an index at its end. It is mapped, and read record by
/// record.
class RankFile {
 public:
  /// @throws Error naming the file if it is no DUMPI trace or was cut off
  explicit RankFile(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return text_.file(); }
  /// The next call into `record`, whose memory is used again; false behind the last one.
  /// @throws Error naming file and offset for what can't be read
  bool next(Record& record);
  /// Begins with the first call again.
  void rewind() { at_ = first_; }
  /// Whether the version that wrote it recorded whole numbers of requests: before, it was 8 bits of them.
  bool has_whole_requests() const { return is_at_least(0, 6, 7); }
  /// Bytes of one element by the file's own table; nothing if it does not say.
  std::optional<std::int64_t> size_of_type(std::int64_t type) const;
  /// @throws Error: file, offset and what is wrong with that record
  [[noreturn]] void refuse(const Record& record, const std::string& what) const;

 private:
  std::uint64_t number(int bytes);
  std::size_t count(std::size_t least_bytes);
  void skip(std::size_t bytes);
  std::int64_t seconds_and_nanoseconds();
  void read_times(Record& record, bool cpu, bool wall);
  void read_statuses(Record& record);
  void read_arguments(Record& record, const char* layout, bool statuses);
  const char* layout_of(std::uint16_t function) const;
  bool is_at_least(int major, int minor, int patch) const;
  void read_header(std::size_t header);
  void read_sizes(std::size_t sizes);
  [[noreturn]] void refuse_file(const std::string& what) const;

  MappedText text_;
  std::string_view bytes_;
  std::size_t at_ = 0, first_ = 0, end_ = 0;  ///< of the records: end_ is behind the last
  std::array<int, 3> version_{};
  std::vector<std::int32_t> sizes_;  ///< by type's number
};

/// Whether a file begins as DUMPI's do.
bool is_rank_file(const std::filesystem::path& file);

}  // namespace morgana::dumpi
