#include "runs/result_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>

#include "emulator/core/error.h"
#include "emulator/core/unfinished_path.h"
#include "emulator/report/output_file.h"

namespace morgana {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(fmt::format("cannot keep results in {}: {}; name another file", path, why));
}

std::string read_all(int fd, const std::string& path) {
  std::string text;
  std::array<char, 65536> room{};
  while (true) {
    const ssize_t n = ::read(fd, room.data(), room.size());
    if (n == 0) return text;
    if (n < 0 && errno != EINTR) refuse(path, std::strerror(errno));
    if (n > 0) text.append(room.data(), static_cast<std::size_t>(n));
  }
}

void write_all(int fd, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) refuse(path, std::strerror(errno));
    if (n > 0) done += static_cast<std::size_t>(n);
  }
}

void cut(int fd, std::size_t length, const std::string& path) {
  if (::ftruncate(fd, static_cast<off_t>(length)) != 0) refuse(path, std::strerror(errno));
}

/// Rows behind this heading, which stands first unless there is nothing yet or only a part of it.
/// @throws Error if the text is something else
CsvText parse(const std::string& text, const std::string& path, const CsvRow& heading) {
  CsvText read = read_csv(text);
  if (read.rows.empty()) {
    if (!csv_line(heading).starts_with(text)) refuse(path, "it holds something else");
    return read;
  }
  if (read.rows.front() != heading)
    refuse(path, "it holds something else than this sweep's results (its first line differs)");
  read.rows.erase(read.rows.begin());
  for (std::size_t i = 0; i < read.rows.size(); ++i)
    if (read.rows[i].size() != heading.size())
      refuse(path, fmt::format("its row {} has {} cells instead of {}", i + 1, read.rows[i].size(),
                               heading.size()));
  return read;
}

}  // namespace

std::vector<CsvRow> read_results(const std::string& path, const CsvRow& heading) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return {};
  if (fd < 0) throw Error(fmt::format("cannot read results from {}: {}", path, std::strerror(errno)));
  std::string text;
  try {
    text = read_all(fd, path);
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
  return parse(text, path, heading).rows;
}

ResultFile::ResultFile(const std::string& path, CsvRow heading, std::size_t inputs)
    : path_(output_target(path)), heading_(std::move(heading)), inputs_(inputs) {
  // Appending: every row is written at the end, whatever another process has done to the file.
  fd_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd_ < 0) refuse(path, std::strerror(errno));
  try {
    if (::flock(fd_, LOCK_EX | LOCK_NB) != 0) refuse(path, "another sweep is writing there");
    take_up(read_all(fd_, path));
  } catch (...) {
    ::close(fd_);
    throw;
  }
}

ResultFile::~ResultFile() {
  ::close(fd_);
}

void ResultFile::take_up(const std::string& text) {
  CsvText read = parse(text, path_, heading_);
  cut(fd_, read.complete, path_);
  if (read.complete == 0) write_all(fd_, csv_line(heading_), path_);
  for (CsvRow& row : read.rows) {
    place_[inputs_of(row)] = rows_.size();
    rows_.push_back(std::move(row));
  }
}

CsvRow ResultFile::inputs_of(const CsvRow& row) const {
  return {row.begin(), row.begin() + static_cast<std::ptrdiff_t>(inputs_)};
}

const CsvRow* ResultFile::find(const CsvRow& inputs) const {
  const auto found = place_.find(inputs);
  return found == place_.end() ? nullptr : &rows_[found->second];
}

void ResultFile::append(const CsvRow& row) {
  write_all(fd_, csv_line(row), path_);
  place_[inputs_of(row)] = rows_.size();
  rows_.push_back(row);
}

void ResultFile::arrange(const std::vector<CsvRow>& order) {
  const std::set<CsvRow> ordered(order.begin(), order.end());
  std::string text = csv_line(heading_);
  for (const CsvRow& row : rows_)
    if (!ordered.contains(inputs_of(row))) text += csv_line(row);
  for (const CsvRow& inputs : order)
    if (const CsvRow* row = find(inputs)) text += csv_line(*row);
  std::string old = csv_line(heading_);
  for (const CsvRow& row : rows_) old += csv_line(row);
  if (text == old) return;
  // A new file takes the old one's place: whoever ends this process loses nothing.
  const std::string draft = std::filesystem::path(path_)
                                .replace_filename(".morgana-ordered-" + std::to_string(::getpid()))
                                .string();
  const int fd = ::open(draft.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) refuse(path_, std::strerror(errno));
  const UnfinishedPath unfinished(draft);
  try {
    write_all(fd, text, draft);
  } catch (...) {
    ::close(fd);
    ::unlink(draft.c_str());
    throw;
  }
  const bool moved = ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::rename(draft.c_str(), path_.c_str()) == 0;
  ::close(fd_);
  fd_ = fd;
  if (!moved) refuse(path_, std::strerror(errno));
}

}  // namespace morgana
