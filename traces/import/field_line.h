#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "traces/import/mapped_text.h"

namespace morgana {

/// A line of fields with colons between them, as Paraver and Dimemas write them, and where it stands.
class FieldLine {
 public:
  explicit FieldLine(const MappedText& text) : text_(text) {}

  /// Takes the line apart. @param number  of the line, from 1
  void read(std::string_view line, std::size_t number);
  std::size_t size() const { return fields_.size(); }
  std::string_view operator[](std::size_t place) const { return fields_[place]; }
  std::size_t number_of_line() const { return number_; }
  /// A whole number. @param what  it is, for an error
  std::int64_t whole(std::size_t place, const char* what,
                     std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  double number(std::size_t place, const char* what) const;
  /// @throws Error: file, line and what is wrong there
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::string_view field(std::size_t place, const char* what) const;

  const MappedText& text_;
  std::vector<std::string_view> fields_;
  std::size_t number_ = 0;
};

/// Lines of a text that follow each other: one rank's, where a file holds all ranks'.
struct LineBlock {
  std::size_t begin = 0, end = 0;  ///< in bytes
  std::size_t first_line = 0;      ///< its number
};

/// Reads the lines of a rank's blocks.
class BlockReader {
 public:
  /// @param blocks  must outlive this
  BlockReader(const MappedText& text, const std::vector<LineBlock>& blocks) : text_(text), blocks_(blocks) {}
  /// The next line into `line`; false behind the last.
  bool next(FieldLine& line);

 private:
  const MappedText& text_;
  const std::vector<LineBlock>& blocks_;
  std::size_t block_ = 0, at_ = 0, line_ = 0;
};

/// Adds a line to a rank's blocks. @param begin, end  of it, in bytes, without its line end
void add_line(std::vector<LineBlock>& blocks, std::size_t begin, std::size_t end, std::size_t number);

}  // namespace morgana
