#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/capture_log_format.h"

namespace morgana {
namespace {

bool is_closed(const std::filesystem::path& log) {
  std::ifstream file(log, std::ios::binary | std::ios::ate);
  Word last = 0;
  if (!file || file.tellg() < static_cast<std::streamoff>(sizeof last)) return false;
  file.seekg(-static_cast<std::streamoff>(sizeof last), std::ios::end);
  file.read(reinterpret_cast<char*>(&last), sizeof last);
  return file && last == capture_log_end;
}

}  // namespace

class CaptureLogReader::Impl {
 public:
  Impl(const std::filesystem::path& folder, Rank rank)
      : path_(capture_log_path(folder, rank)), file_(path_, std::ios::binary) {
    if (!file_) throw Error(fmt::format("there is no capture log {}", path_.string()));
    const auto head = capture_log_head(rank);
    auto found = head;
    if (!get(found) || found != head)
      throw Error(fmt::format("{} is not a capture log of rank {}", path_.string(), static_cast<int>(rank)));
  }

  bool read(CapturedOperation& captured) {
    std::array<Word, 1> first{};
    if (complete_ || !get(first) || first[0] == 0) return false;
    if (first[0] == capture_log_end) {
      complete_ = true;
      return false;
    }
    ++entry_;
    require(first[0] > capture_entry_head && first[0] <= 2 * longest_record, "a wrong length");
    // Read piece by piece: a wrong length may be larger than all memory.
    entry_words_.clear();
    for (std::size_t left = static_cast<std::size_t>(first[0]) - 1; left > 0;) {
      const std::size_t count = std::min(left, std::size_t{1} << 16);
      entry_words_.resize(entry_words_.size() + count);
      if (!get(std::span(entry_words_).last(count))) return false;
      left -= count;
    }
    interpret(captured);
    return true;
  }

  bool complete() const { return complete_; }

 private:
  bool get(std::span<Word> words) {
    const auto size = static_cast<std::streamsize>(words.size_bytes());
    file_.read(reinterpret_cast<char*>(words.data()), size);
    return file_.gcount() == size;
  }

  void interpret(CapturedOperation& captured) {
    const std::span<const Word> words(entry_words_);
    captured.begin = SimTime::from_ps(static_cast<std::int64_t>(words[0]));
    captured.end = SimTime::from_ps(static_cast<std::int64_t>(words[1]));
    require(SimTime() <= captured.begin && captured.begin <= captured.end &&
                captured.end <= SimTime::from_ps(longest_time),
            "it begins or ends at an impossible time");
    const std::span<const Word> records = words.subspan(capture_entry_head - 1);
    const std::size_t split = record_length(records[0]);
    require(split < records.size(), "a wrong length");
    try {
      decode(records.first(split), captured.operation);
      decode(records.subspan(split), captured.completed);
    } catch (const MalformedRecord& wrong) {
      require(false, wrong.what());
    }
  }

  void require(bool condition, const char* what) const {
    if (!condition)
      throw Error(
          fmt::format("{}, operation {}: {}; capture the program again", path_.string(), entry_, what));
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::vector<Word> entry_words_;
  std::uint64_t entry_ = 0;
  bool complete_ = false;
};

bool capture_log_begun(const std::filesystem::path& folder, Rank rank) {
  std::error_code ignored;
  return std::filesystem::exists(capture_log_path(folder, rank), ignored);
}

bool capture_log_closed(const std::filesystem::path& folder, Rank rank) {
  return is_closed(capture_log_path(folder, rank));
}

bool all_capture_logs_closed(const std::filesystem::path& folder) {
  bool any = false;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (!is_capture_log(entry.path())) continue;
    any = true;
    if (!is_closed(entry.path())) return false;
  }
  return any;
}

void announce_end(const std::filesystem::path& folder, Rank rank, const AnnouncedEnd& end) {
  std::ofstream(announced_end_path(folder, rank)) << end.code << '\n' << end.error << '\n';
}

void take_back_announced_end(const std::filesystem::path& folder, Rank rank) {
  std::error_code ignored;
  std::filesystem::remove(announced_end_path(folder, rank), ignored);
}

std::optional<AnnouncedEnd> announced_end(const std::filesystem::path& folder, Rank rank) {
  AnnouncedEnd end;
  std::ifstream file(announced_end_path(folder, rank));
  if (!(file >> end.code)) return std::nullopt;
  file.ignore();
  std::getline(file, end.error);
  return end;
}

CaptureLogReader::CaptureLogReader(const std::filesystem::path& folder, Rank rank)
    : impl_(std::make_unique<Impl>(folder, rank)) {}
CaptureLogReader::~CaptureLogReader() = default;
bool CaptureLogReader::read(CapturedOperation& captured) {
  return impl_->read(captured);
}
bool CaptureLogReader::complete() const {
  return impl_->complete();
}

}  // namespace morgana
