#include "runs/sweep/swept_errors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <system_error>

#include "emulator/core/error.h"

namespace morgana {
namespace fs = std::filesystem;
namespace {

/// As in a URL: a blank is "+", what is none of the plain characters is "%" and its number.
std::string as_file_name(const std::string& run) {
  std::string name;
  for (const char c : run) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::strchr("._-=,", c) != nullptr;
    if (c == ' ')
      name += '+';
    else if (plain)
      name += c;
    else
      name += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  constexpr std::size_t most = 200;  // of the 255 bytes that a file's name may have
  if (name.size() > most)
    name = fmt::format("{}-{:016x}", name.substr(0, most), std::hash<std::string>()(run));
  return name + ".txt";
}

int opened(const fs::path& file) {
  // Another process of the sweep may just have removed the empty folder.
  constexpr int attempts = 10;
  int fd = -1;
  for (int i = 0; i < attempts && fd < 0; ++i) {
    std::error_code ignored;
    fs::create_directories(file.parent_path(), ignored);
    fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 && errno != ENOENT) break;
  }
  return fd;
}

}  // namespace

SweptErrors::SweptErrors(const fs::path& folder, const std::string& run) {
  const char* nowhere = "/dev/null";
  if (!folder.empty()) file_ = file_of(folder, run);
  const int fd = folder.empty() ? ::open(nowhere, O_WRONLY | O_CLOEXEC) : opened(file_);
  if (fd < 0)
    throw Error(
        fmt::format("cannot keep the program's standard error in {}: {}; name results in a folder that "
                    "you may write to",
                    folder.empty() ? nowhere : file_.string(), std::strerror(errno)));
  std::fflush(stderr);
  saved_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
  ::dup2(fd, STDERR_FILENO);
  ::close(fd);
}

SweptErrors::~SweptErrors() {
  std::fflush(stderr);
  struct stat written {};
  const bool empty = ::fstat(STDERR_FILENO, &written) == 0 && written.st_size == 0;
  if (saved_ >= 0) {
    ::dup2(saved_, STDERR_FILENO);
    ::close(saved_);
  }
  if (file_.empty() || !empty) return;
  ::unlink(file_.c_str());
  ::rmdir(file_.parent_path().c_str());  // if nothing else is in it
}

fs::path SweptErrors::file_of(const fs::path& folder, const std::string& run) {
  return folder / as_file_name(run);
}

bool SweptErrors::are_kept(const fs::path& folder, const std::string& run) {
  std::error_code missing;
  if (folder.empty()) return false;
  const std::uintmax_t size = fs::file_size(file_of(folder, run), missing);
  return !missing && size > 0;
}

}  // namespace morgana
