#pragma once

#include <boost/interprocess/mapped_region.hpp>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace morgana {

/// A text file, mapped into memory, whose lines are read one after the other.
class MappedText {
 public:
  /// @throws Error naming the file if it can't be read
  explicit MappedText(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }
  std::string_view text() const { return text_; }
  /// The next line, without its end; nothing after the last.
  std::optional<std::string_view> next_line();
  /// Of the line that was read last, from 1.
  std::size_t line() const { return line_; }
  /// Frees the memory of what has been read and is not needed for the time being; it is still there.
  /// @param begin, end  places in text()
  void forget_between(std::size_t begin, std::size_t end) const;
  /// @throws Error: file, line and what is wrong there
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::filesystem::path file_;
  boost::interprocess::mapped_region region_;
  std::string_view text_;
  std::size_t at_ = 0, line_ = 0;
};

/// What blanks and tabs part.
std::vector<std::string_view> words_of(std::string_view line);

/// Nothing if not all of the word is such a number, or it is out of range.
template <class Number>
std::optional<Number> parsed_number(std::string_view word) {
  Number number{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace morgana
