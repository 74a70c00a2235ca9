#include "emulator/report/pictures/drawing_program.h"

#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace morgana {

TemporaryFile::TemporaryFile(const std::string& text)
    : name_((std::filesystem::temp_directory_path() / "morgana-plot-XXXXXX").string()) {
  const int fd = ::mkstemp(name_.data());
  if (fd < 0) throw Error(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(fd);
  if (!written) {
    ::unlink(name_.c_str());
    throw Error(fmt::format(
        "cannot write {}: the disk is full; make room there, or name another folder by TMPDIR", name_));
  }
}

TemporaryFile::~TemporaryFile() {
  ::unlink(name_.c_str());
}

std::string TemporaryFile::read() const {
  std::ifstream file(name_);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run_drawing_program(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& package) {
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, program.c_str(), nullptr, nullptr, pointers.data(), environ);
  if (failed != 0) {
    throw Error(fmt::format("cannot start {}: {}; this picture needs the package {}", program,
                            std::strerror(failed), package));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(fmt::format("{} could not draw the plot; its own message stands above", program));
}

}  // namespace morgana
