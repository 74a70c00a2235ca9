#include "emulator/report/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "emulator/core/unfinished_path.h"
#include "emulator/core/working_folder.h"

namespace morgana {
namespace {

int standard_output = STDOUT_FILENO;

[[noreturn]] void refuse(const std::string& path, int cause) {
  const bool full = cause == ENOSPC || cause == EDQUOT;
  throw Error(fmt::format(
      "cannot write {}: {}; {}", path, std::strerror(cause),
      full ? "make room there, or name a file elsewhere" : "name a file in a folder that you may write to"));
}

void write_all(int fd, const std::string& text, const std::string& path) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse(path, errno);
    done += static_cast<std::size_t>(n);
  }
}

/// A new file beside the one to be replaced; gone unless it was kept.
class Draft {
 public:
  explicit Draft(const std::string& path)
      : target_(path), name_(std::filesystem::path(path).replace_filename(".morgana-XXXXXX").string()) {
    fd_ = ::mkstemp(name_.data());
    if (fd_ < 0) refuse(path, errno);
    unfinished_.emplace(name_);
  }
  ~Draft() {
    if (fd_ >= 0) ::close(fd_);
    if (!kept_) ::unlink(name_.c_str());
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  int fd() const { return fd_; }
  void keep() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    ::fchmod(fd_, 0666 & ~mask);  // mkstemp's 0600 would surprise whoever shares results
    if (::rename(name_.c_str(), target_.c_str()) != 0) refuse(target_, errno);
    kept_ = true;
  }

 private:
  std::string target_, name_;
  std::optional<UnfinishedPath> unfinished_;
  int fd_ = -1;
  bool kept_ = false;
};

}  // namespace

std::string output_target(const std::string& path) {
  constexpr int most_links = 40;  // as the kernel follows
  std::filesystem::path at = path;
  for (int links = 0; links < most_links; ++links) {
    std::error_code no_link;
    const std::filesystem::path next = std::filesystem::read_symlink(at, no_link);
    if (no_link) return at.string();
    at = at.parent_path() / next;
  }
  refuse(path, ELOOP);
}

void write_output(const std::string& name, const std::string& text) {
  const std::string path = name == "-" ? name : output_target(name);
  if (path == "-") {
    std::fflush(stdout);
    write_all(standard_output, text, "standard output");
    return;
  }
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored) &&
      !std::filesystem::is_directory(path, ignored)) {
    std::FILE* special = std::fopen(path.c_str(), "w");  // /dev/null, a pipe: nothing to replace
    if (special == nullptr) refuse(path, errno);
    const bool written = std::fwrite(text.data(), 1, text.size(), special) == text.size();
    if (std::fclose(special) != 0 || !written) refuse(path, errno);
    return;
  }
  Draft draft(path);
  write_all(draft.fd(), text, path);
  draft.keep();
}

void reserve_standard_output() {
  if (standard_output != STDOUT_FILENO) return;
  std::fflush(stdout);
  const int reserved = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (reserved < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) refuse("standard output", errno);
  standard_output = reserved;
}

void check_output_name(const std::string& path) {
  if (path.empty()) throw Error("cannot write a file without a name; give it one");
  if (std::filesystem::path(path).is_relative()) check_working_folder();
  struct stat there {};
  if (::lstat(output_target(path).c_str(), &there) != 0 && errno != ENOENT) refuse(path, errno);
}

void check_output(const std::string& name) {
  if (name == "-") return;
  check_output_name(name);
  const std::string path = output_target(name);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse(path, EISDIR);
  const bool special =
      std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored);
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const int result = special ? ::access(path.c_str(), W_OK) : ::access(folder.c_str(), W_OK | X_OK);
  if (result != 0) refuse(path, errno);
}

void make_output_folder(const std::string& path) {
  std::error_code problem;
  std::filesystem::create_directories(path, problem);
  int cause = problem.value();
  if (!problem && !std::filesystem::is_directory(path, problem)) cause = ENOTDIR;
  if (cause == 0 && ::access(path.c_str(), W_OK | X_OK) != 0) cause = errno;
  if (cause == 0) return;
  throw Error(fmt::format("cannot write into the folder {}: {}; name one that you may make or write to", path,
                          std::strerror(cause)));
}

}  // namespace morgana
