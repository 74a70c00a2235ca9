#include "traces/otf2/pending_folder.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <system_error>

#include "traces/otf2/attributes.h"

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

/// Whether a file of this name, as seen from the trace's folder, is one that OTF2 writes for us: traces.otf2,
/// traces.def, and traces/NUMBER.evt or .def.
bool is_part_of_a_trace(const std::filesystem::path& name) {
  if (name == "traces" || name == "traces.otf2" || name == "traces.def") return true;
  const std::string location = name.stem().string(), kind = name.extension().string();
  return name.parent_path() == "traces" && (kind == ".evt" || kind == ".def") &&
         location.find_first_not_of("0123456789") == std::string::npos;
}

/// What would be lost with the trace in the folder, although it is no part of it.
void refuse_strangers(const std::filesystem::path& folder) {
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path name = entry->path().lexically_relative(folder);
    if (!is_part_of_a_trace(name))
      throw Error(fmt::format(
          "{} holds a trace of ours and {}, which is not a part of one: move that, or choose another "
          "folder for the trace",
          folder.string(), name.string()));
  }
}

/// A trace of ours gives way to the new one, as other results' older files do, and nothing else.
void check_place(const std::filesystem::path& place) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(place, error))) return;
  if (std::filesystem::is_directory(place, error)) {
    if (std::filesystem::is_empty(place, error)) return;
    if (is_trace_of_ours(place)) return refuse_strangers(place);
  }
  throw Error(fmt::format("{} exists and is not a trace of ours: remove it or choose another folder",
                          place.string()));
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

bool PendingFolder::keep() {
  try {
    return put_at_place();
  } catch (const Error& error) {
    throw Error(fmt::format("{}; the new trace is in {}", error.what(), leave_beside().string()));
  }
}

std::filesystem::path PendingFolder::leave_beside() {
  const Undisturbed together;
  std::error_code error;
  std::filesystem::path beside;
  for (int number = 1;
       beside.empty() || std::filesystem::exists(std::filesystem::symlink_status(beside, error)); ++number)
    beside = fmt::format("{}.{}", place_.string(), number);
  std::filesystem::rename(path_, beside, error);
  if (error) beside = path_;
  path_.clear();
  unfinished_.reset();
  return beside;
}

bool PendingFolder::put_at_place() {
  check_place(place_);
  std::error_code error;
  std::filesystem::path old = path_;
  old += ".old";
  const Undisturbed together;
  const bool there = std::filesystem::exists(place_, error);
  const bool replaces = there && !std::filesystem::is_empty(place_, error);
  if (there) std::filesystem::rename(place_, old, error);
  if (!error) {
    std::filesystem::rename(path_, place_, error);
    std::error_code not_back;
    if (error && there) std::filesystem::rename(old, place_, not_back);
    if (not_back)
      throw Error(fmt::format("can't put the trace into {}: {}; the older one is in {}", place_.string(),
                              error.message(), old.string()));
  }
  if (error) throw Error(fmt::format("can't put the trace into {}: {}", place_.string(), error.message()));
  path_.clear();
  if (there) std::filesystem::remove_all(old, error);
  return replaces;
}

}  // namespace morgana
