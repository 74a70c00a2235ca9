#include "traces/import/mapped_text.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {

MappedText::MappedText(const std::filesystem::path& file) : file_(file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (error || !std::filesystem::is_regular_file(file))
    throw Error(
        fmt::format("{}: {}", file.string(),
                    error ? error.message() : std::string("is not a regular file; give a trace's file")));
  if (size == 0) return;  // nothing that could be mapped
  try {
    const boost::interprocess::file_mapping mapping(file.c_str(), boost::interprocess::read_only);
    region_ = boost::interprocess::mapped_region(mapping, boost::interprocess::read_only, 0, size);
  } catch (const boost::interprocess::interprocess_exception& problem) {
    throw Error(fmt::format("{}: can't be read: {}", file.string(), problem.what()));
  }
  text_ = {static_cast<const char*>(region_.get_address()), size};
}

std::optional<std::string_view> MappedText::next_line() {
  if (at_ >= text_.size()) return std::nullopt;
  const std::size_t end = std::min(text_.find('\n', at_), text_.size());
  std::string_view line = text_.substr(at_, end - at_);
  at_ = end + 1;
  ++line_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void MappedText::forget_between(std::size_t begin, std::size_t end) const {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = (begin + page - 1) / page * page,
                    last = std::min(end, text_.size()) / page * page;
  // The pages are the file's: a later look reads them again.
  if (first < last) ::madvise(const_cast<char*>(text_.data()) + first, last - first, MADV_DONTNEED);
}

void MappedText::refuse(const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", file_.string(), line_, what));
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view blanks = " \t";
  for (std::size_t begin = line.find_first_not_of(blanks); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(blanks, end);
  }
  return words;
}

}  // namespace morgana
