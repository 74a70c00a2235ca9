#include "traces/whole_file.h"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

// OTF2's internal records, as version 3.0.2 writes them. A file ends with both.
constexpr char end_of_file = 2, end_of_buffer = 1;

}  // namespace

std::uint64_t size_of_whole(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  if (error) throw Error(fmt::format("can't read {}: {}", file.string(), error.message()));
  std::ifstream stream(file, std::ios::binary);
  char before = 0, last = 0;
  if (size >= 2) stream.seekg(-2, std::ios::end).get(before).get(last);
  if (!stream) throw Error(fmt::format("can't read {}", file.string()));
  if (before != end_of_file || last != end_of_buffer)
    throw Error(fmt::format("{} is cut off after {} bytes, or damaged there: record the trace again",
                            file.string(), size));
  return size;
}

std::filesystem::path file_of_location(const std::filesystem::path& anchor, std::uint64_t location,
                                       const char* extension) {
  return anchor.parent_path() / anchor.stem() / fmt::format("{}.{}", location, extension);
}

}  // namespace morgana
