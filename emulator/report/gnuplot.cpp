#include "emulator/report/gnuplot.h"

#include <fmt/format.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace morgana::gnuplot {
namespace {

void run_gnuplot(const std::string& script_file) {
  std::string program = "gnuplot", argument = script_file;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = -1;
  const int failed = posix_spawnp(&child, "gnuplot", nullptr, nullptr, arguments, environ);
  if (failed != 0) {
    throw Error(
        fmt::format("cannot start gnuplot: {}; plots need the package gnuplot-nox", std::strerror(failed)));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw Error("gnuplot could not draw the plot; its own message stands above");
  }
}

/// A file in the temporary folder, gone when this is.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : name_((std::filesystem::temp_directory_path() / "morgana-plot-XXXXXX").string()) {
    const int fd = ::mkstemp(name_.data());
    if (fd < 0) throw Error(fmt::format("cannot write {}: {}", name_, std::strerror(errno)));
    const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::close(fd);
    if (!written) {
      ::unlink(name_.c_str());
      throw Error(fmt::format("cannot write {}: the disk is full", name_));
    }
  }
  ~TemporaryFile() { ::unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

}  // namespace

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') result += '\'';
    result += c == '\n' ? ' ' : c;
  }
  return result + '\'';
}

std::string terminal(const std::string& file, std::size_t width) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".svg") {
    return fmt::format("svg size {},480 font 'Helvetica,14' background '#ffffff' noenhanced", width);
  }
  if (ending == ".png") return fmt::format("pngcairo size {},480 font 'Sans,11' noenhanced", width);
  throw Error(fmt::format("cannot draw {}: a plot's name must end in .svg or .png", file));
}

void check(const std::string& file) {
  terminal(file, 1);
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(file, ignored);
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  if (!is_folder && ::access(folder.c_str(), W_OK | X_OK) == 0) return;
  throw Error(fmt::format("cannot draw {}: {}; name a file in a folder that you may write to", file,
                          std::strerror(is_folder ? EISDIR : errno)));
}

void run(const std::string& script, const std::string& file) {
  check(file);  // gnuplot would create the file before it notices that it can't
  const TemporaryFile commands(script);
  run_gnuplot(commands.name());
}

}  // namespace morgana::gnuplot
