#include "tests/support/pvm_daemon.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace morgana::test {
namespace fs = std::filesystem;

namespace {

const fs::path pvm_root = "/usr/lib/pvm3";

struct Pipe {
  int read = -1, write = -1;
  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe for the PVM daemon's keeper");
    read = ends[0];
    write = ends[1];
  }
};

bool gets_a_byte(int from) {
  char byte = 0;
  while (true) {
    const ssize_t count = ::read(from, &byte, 1);
    if (count >= 0 || errno != EINTR) return count == 1;
  }
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

bool PvmDaemon::available() {
  return ::access((pvm_root / "lib/pvmd").c_str(), X_OK) == 0;
}

PvmDaemon::PvmDaemon(const Options& options) {
  std::string pattern = (fs::temp_directory_path() / "morgana-pvm-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder: " + pattern);
  folder_ = pattern;

  std::string path;
  for (const fs::path& folder : options.programs) path += (path.empty() ? "" : ":") + folder.string();
  environment_ = {"PVM_ROOT=" + pvm_root.string(), "PVM_ARCH=LINUX64", "PVM_ALLOW_ROOT=1",
                  "PVM_TMP=" + folder_.string(), "PVM_PATH=" + path};

  std::vector<std::string> arguments{"env"};
  arguments.insert(arguments.end(), environment_.begin(), environment_.end());
  arguments.insert(arguments.end(), options.environment.begin(), options.environment.end());
  arguments.insert(arguments.end(), {PVM_KEEPER, (pvm_root / "lib/pvmd").string(), folder_.string()});

  Pipe lifeline, news;
  lifeline_ = lifeline.write;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, lifeline.read, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, news.write, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // What ends the test's process group must not end the one that cleans up.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int error = ::posix_spawnp(&keeper_, "env", &files, &attributes, pointers(arguments).data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  ::close(lifeline.read);
  ::close(news.write);
  const bool ready = error == 0 && gets_a_byte(news.read);
  ::close(news.read);
  if (ready) return;
  ::close(lifeline_);
  if (error == 0) ::waitpid(keeper_, nullptr, 0);
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  throw std::runtime_error("PVM's daemon can't be started: is the package pvm installed?");
}

PvmDaemon::~PvmDaemon() {
  ::close(lifeline_);
  while (::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

std::vector<std::string> PvmDaemon::command(const std::vector<std::string>& program) const {
  std::vector<std::string> all{"env"};
  all.insert(all.end(), environment_.begin(), environment_.end());
  all.insert(all.end(), program.begin(), program.end());
  return all;
}

std::string PvmDaemon::log() const {
  return read_file(folder_ / ("pvml." + std::to_string(::getuid())));
}

}  // namespace morgana::test
