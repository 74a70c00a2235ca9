#include "runs/size_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr std::size_t most_sizes = 1000;

std::string_view without_spaces(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Bytes size_above_zero(std::string_view text) {
  const Bytes size = parse_bytes(without_spaces(text));
  if (size == Bytes())
    throw Error("a collective of 0 B moves nothing; write sizes of 1 B or more, as in \"8 B..8 GiB:x2\"");
  return size;
}

void add_size(std::vector<Bytes>& sizes, Bytes size) {
  if (sizes.size() == most_sizes)
    throw Error(fmt::format("more than {} sizes; take a larger step or factor", most_sizes));
  sizes.push_back(size);
}

void add_range(std::vector<Bytes>& sizes, std::string_view text) {
  const std::size_t dots = text.find(".."), colon = text.find(':', dots);
  if (colon == std::string_view::npos)
    throw Error(
        fmt::format("\"{}\" names no step: write as in \"8 B..8 GiB:x2\" or \"1 KiB..4 KiB:1 KiB\"", text));
  const Bytes first = size_above_zero(text.substr(0, dots)),
              last = size_above_zero(text.substr(dots + 2, colon - dots - 2));
  if (last < first)
    throw Error(fmt::format("\"{}\" ends before it begins; write the smaller size first", text));
  const std::string_view step = without_spaces(text.substr(colon + 1));
  if (!step.starts_with('x')) {
    const Bytes more = size_above_zero(step);
    for (Bytes size = first; size <= last; size += more) add_size(sizes, size);
    return;
  }
  const double factor = parse_factor(step.substr(1));
  constexpr double least_factor = 1.001;
  if (!(factor >= least_factor))
    throw Error(fmt::format("\"{}\" never ends; take a factor of at least {}", text, least_factor));
  double size = static_cast<double>(first.count());
  for (Bytes before; size <= static_cast<double>(last.count()); size *= factor) {
    const Bytes whole(std::llround(size));
    if (whole != before) add_size(sizes, whole);
    before = whole;
  }
}

}  // namespace

std::vector<Bytes> parse_sizes(std::string_view text) {
  std::vector<Bytes> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view one = without_spaces(text.substr(begin, comma - begin));
    if (one.find("..") == std::string_view::npos)
      add_size(sizes, size_above_zero(one));
    else
      add_range(sizes, one);
    begin = comma + 1;
  }
  return sizes;
}

}  // namespace morgana
