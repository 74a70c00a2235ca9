#include "pvmshim/mpi/mpich_version.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>

namespace morgana::mpi {
namespace {

/// Takes a number off the front of the text. @return whether there is one
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

}  // namespace

MpichVersion version_in(std::string_view library_version) {
  constexpr MpichVersion oldest{4, 0};
  constexpr std::string_view mark = "MPICH Version:";
  const std::size_t place = library_version.find(mark);
  if (place == std::string_view::npos) return oldest;
  std::string_view rest = library_version.substr(place + mark.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
  MpichVersion version;
  if (!take_number(rest, version.major) || !rest.starts_with('.')) return oldest;
  rest.remove_prefix(1);
  return take_number(rest, version.minor) ? version : oldest;
}

}  // namespace morgana::mpi
