#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "pvmshim/channel/codec.h"

namespace morgana {

// A log is a head (magic, rank) and entries: their length in words, begin, end (ps), the operation's record,
// the record of what completed. A 0 where an entry's length should be: the rank died; capture_log_end: it
// ended.

constexpr Word capture_log_magic = 0x31'676f'6c67'726f'6d;  // "morglog1"
constexpr Word capture_log_end = ~Word{0};
constexpr std::size_t capture_entry_head = 3;

inline std::array<Word, 2> capture_log_head(Rank rank) {
  return {capture_log_magic, static_cast<Word>(rank)};
}
inline std::filesystem::path capture_log_path(const std::filesystem::path& folder, Rank rank) {
  return folder / ("rank-" + std::to_string(static_cast<int>(rank)) + ".log");
}
inline bool is_capture_log(const std::filesystem::path& file) {
  return file.extension() == ".log";
}
inline std::filesystem::path announced_end_path(const std::filesystem::path& folder, Rank rank) {
  return folder / ("rank-" + std::to_string(static_cast<int>(rank)) + ".end");
}

}  // namespace morgana
