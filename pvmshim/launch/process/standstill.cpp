#include "pvmshim/launch/process/standstill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <vector>

#include "emulator/core/standard_error.h"
#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/capture_log_format.h"

namespace morgana {
namespace {

constexpr int looks_in_a_standstill = 4;

/// A log is mapped and grows by whole megabytes of zeros, which its rank fills: neither its size nor its time
/// of change tells what has been written. Every record begins with a word that is not 0.
/// @return the length in bytes up to the last byte that is not 0; 0 for what can't be read
std::int64_t written_length(const std::filesystem::path& log) {
  constexpr std::int64_t piece = 1 << 16;
  const int file = open(log.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  std::vector<char> bytes(piece);
  std::int64_t length = std::max<std::int64_t>(lseek(file, 0, SEEK_END), 0);
  while (length > 0) {
    const std::int64_t begin = (length - 1) / piece * piece;
    const ssize_t count = pread(file, bytes.data(), static_cast<std::size_t>(length - begin), begin);
    if (count <= 0) break;
    const auto last = std::find_if(bytes.rend() - count, bytes.rend(), [](char byte) { return byte != 0; });
    length = begin + (bytes.rend() - last);
    if (last != bytes.rend()) break;
  }
  close(file);
  return length;
}

}  // namespace

bool Standstill::any_has_grown() {
  bool grown = false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(logs_, ignored)) {
    if (!is_capture_log(entry.path())) continue;
    const std::int64_t length = written_length(entry.path());
    const auto [known, fresh] = lengths_.try_emplace(entry.path().filename().string(), length);
    grown = grown || fresh || known->second != length;
    known->second = length;
  }
  return grown;
}

std::string Standstill::look(Clock::time_point now) {
  if (now - looked_ < longest_ / looks_in_a_standstill) return "";
  looked_ = now;
  if (any_has_grown()) {
    moved_ = now;
    said_ = false;
  }
  // Ranks that have left the library may compute as long as they like: none waits for another.
  if (said_ || now - moved_ < longest_ || all_capture_logs_closed(logs_)) return "";
  said_ = true;
  return fmt::format(
      "the program runs over the real {0}, and no call of {0} has ended for {1} s: it may compute, or wait "
      "forever (`morgana run` names a deadlock). Waiting for it; Ctrl-C ends it",
      library_, longest_.count());
}

void Standstill::tell() {
  if (const std::string sentence = look(Clock::now()); !sentence.empty())
    print_error(fmt::format("morgana: {}\n", sentence));
}

}  // namespace morgana
