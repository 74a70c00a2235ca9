#include "traces/otf2/whole_file.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <fstream>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace {

// OTF2's internal records, as version 3.0.2 writes them. A file ends with both.
constexpr char end_of_file = 2, end_of_buffer = 1;
// A chunk of events begins with a mark, 'B' if numbers have their least byte first ('#' if their last), and
// the numbers of its first and last record in 8 bytes each; records are numbered through a file from 1.
constexpr char chunk_header = 3, least_byte_first = 'B', last_byte_first = '#';
constexpr std::size_t last_record_at = 10, number_size = 8, header_size = last_record_at + number_size;

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

std::optional<std::uint64_t> records_held(const std::filesystem::path& file, std::uint64_t size,
                                          std::uint64_t chunk) {
  if (size == 0 || chunk == 0) return std::nullopt;
  std::array<char, header_size> header{};
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(static_cast<std::streamoff>((size - 1) / chunk * chunk));
  if (!stream.read(header.data(), header.size()) || header[0] != chunk_header ||
      (header[1] != least_byte_first && header[1] != last_byte_first))
    return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < number_size; ++i) {
    const std::size_t byte = header[1] == least_byte_first ? number_size - 1 - i : i;
    number = number << 8 | static_cast<unsigned char>(header[last_record_at + byte]);
  }
  return number;
}

std::filesystem::path file_of_location(const std::filesystem::path& anchor, std::uint64_t location,
                                       const char* extension) {
  return anchor.parent_path() / anchor.stem() / fmt::format("{}.{}", location, extension);
}

}  // namespace morgana
