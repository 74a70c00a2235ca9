#include "traces/import/field_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"

namespace morgana {

void FieldLine::read(std::string_view line, std::size_t number) {
  fields_.clear();
  number_ = number;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(':', begin), line.size());
    fields_.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return;
    begin = end + 1;
  }
}

std::string_view FieldLine::field(std::size_t place, const char* what) const {
  if (place >= fields_.size())
    refuse(fmt::format("the line ends before field {} ({}); it was cut off, or is of an unknown version",
                       place + 1, what));
  return fields_[place];
}

std::int64_t FieldLine::whole(std::size_t place, const char* what, std::int64_t least,
                              std::int64_t most) const {
  const std::string_view text = field(place, what);
  const auto number = parsed_number<std::int64_t>(text);
  if (!number)
    refuse(fmt::format("field {} ({}) is \"{}\", but must be a whole number", place + 1, what,
                       text.substr(0, 30)));
  if (*number < least || *number > most)
    refuse(fmt::format("{} is {}, but may be {} to {}", what, *number, least, most));
  return *number;
}

double FieldLine::number(std::size_t place, const char* what) const {
  const std::string_view text = field(place, what);
  const auto number = parsed_number<double>(text);
  if (!number || !std::isfinite(*number))
    refuse(fmt::format("field {} ({}) is \"{}\", but must be a number", place + 1, what, text.substr(0, 30)));
  return *number;
}

void FieldLine::refuse(const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", text_.file().string(), number_, what));
}

bool BlockReader::next(FieldLine& line) {
  if (block_ == blocks_.size()) return false;
  const LineBlock& block = blocks_[block_];
  if (at_ < block.begin) {
    at_ = block.begin;
    line_ = block.first_line;
  }
  const std::string_view text = text_.text();
  const std::size_t end = std::min(text.find('\n', at_), block.end);
  std::string_view content = text.substr(at_, end - at_);
  if (content.ends_with('\r')) content.remove_suffix(1);
  line.read(content, line_++);
  at_ = end + 1;
  if (at_ >= block.end) ++block_;
  return true;
}

void add_line(std::vector<LineBlock>& blocks, std::size_t begin, std::size_t end, std::size_t number) {
  // A line end has one byte or, in files of Windows, two.
  if (!blocks.empty() && begin - blocks.back().end <= 2)
    blocks.back().end = end;
  else
    blocks.push_back({begin, end, number});
}

}  // namespace morgana
