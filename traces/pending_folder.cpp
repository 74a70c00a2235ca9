#include "traces/pending_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "traces/attributes.h"

namespace morgana {
namespace {

/// The anchor file names its creator in plain text within its first bytes.
bool is_trace_of_ours(const std::filesystem::path& folder) {
  std::ifstream anchor(folder / "traces.otf2", std::ios::binary);
  std::string begin(4096, '\0');
  anchor.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(anchor.gcount()));
  return begin.find(creator_prefix) != std::string::npos;
}

void check_place(const std::filesystem::path& place) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(place, error))) return;
  if (std::filesystem::is_directory(place, error) &&
      (std::filesystem::is_empty(place, error) || is_trace_of_ours(place)))
    return;
  throw Error(
      fmt::format("{} exists and is no trace of ours: remove it or choose another folder", place.string()));
}

/// "out/run/" and "out/run" are the same place, and a link to a folder is that folder.
std::filesystem::path folder_meant_by(const std::filesystem::path& place) {
  const std::filesystem::path absolute = std::filesystem::absolute(place).lexically_normal();
  std::filesystem::path folder = absolute.has_filename() ? absolute : absolute.parent_path();
  std::error_code nothing_there;
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(folder, nothing_there))) return folder;
  const std::filesystem::path target = std::filesystem::canonical(folder, nothing_there);
  return nothing_there ? folder : target;
}

}  // namespace

PendingFolder::PendingFolder(const std::filesystem::path& place) : place_(folder_meant_by(place)) {
  check_place(place_);
  std::string name = (place_.parent_path() / ("." + place_.filename().string() + ".XXXXXX")).string();
  if (mkdtemp(name.data()) == nullptr)
    throw Error(
        fmt::format("can't make a folder for the trace in {}: {}; make that folder, or choose another",
                    place_.parent_path().string(), std::strerror(errno)));
  path_ = name;
  unfinished_.emplace(name);
  // mkdtemp's folders are private; a trace is an ordinary file of the user's.
  std::error_code ignored;
  std::filesystem::permissions(path_, std::filesystem::perms(0755), ignored);
}

PendingFolder::~PendingFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

void PendingFolder::keep() {
  check_place(place_);
  std::error_code error;
  std::filesystem::path old = path_;
  old += ".old";
  const Undisturbed together;
  const bool replaces = std::filesystem::exists(place_, error);
  if (replaces) std::filesystem::rename(place_, old, error);
  if (!error) std::filesystem::rename(path_, place_, error);
  if (error) throw Error(fmt::format("can't put the trace into {}: {}", place_.string(), error.message()));
  path_.clear();
  if (replaces) std::filesystem::remove_all(old, error);
}

}  // namespace morgana
