#include "emulator/platform/library.h"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "emulator/schema/nearest.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t largest_file = 1024 * 1024;

/// A folder of that name is taken for the library only if it holds the platform that is always there.
bool holds_platforms(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "ideal.toml", ignored);
}

bool is_file_name(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".toml");
}

/// Names that begin so, or else the nearest one; empty if none is near.
std::string meant_by(const std::string& name, const std::vector<std::string>& names) {
  std::string longer;
  for (const std::string& each : names)
    if (!name.empty() && each.starts_with(name)) longer += (longer.empty() ? "" : " or ") + each;
  return longer.empty() ? nearest(name, names).value_or("") : longer;
}

}  // namespace

fs::path library_folder() {
  std::error_code ignored;
  if (const char* set = std::getenv("MORGANA_PLATFORMS"); set != nullptr && *set != '\0') {
    if (!fs::is_directory(set, ignored))
      throw Error("MORGANA_PLATFORMS is set to " + std::string(set) +
                  ", which is no folder; unset it or name the folder of the platform files");
    return set;
  }
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& folder : {program / "../../platforms", program / "../share/morgana/platforms"})
    if (!program.empty() && holds_platforms(folder)) return folder.lexically_normal();
  // Of a program that uses the emulator as a library.
  for (const char* folder : {MORGANA_SOURCE_PLATFORMS, "/usr/local/share/morgana/platforms"})
    if (holds_platforms(folder)) return folder;
  return "/usr/share/morgana/platforms";
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator file(library_folder(), failed), end; !failed && file != end;
       file.increment(failed))
    if (file->path().extension() == ".toml") names.push_back(file->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_platform(const std::string& name, const fs::path& folder, const std::string& where) {
  std::error_code ignored;
  if (is_file_name(name)) {
    fs::path file = folder / name;
    if (!fs::exists(file, ignored))
      throw Error(where + "there is no platform file " + file.string() + "; check its name");
    return file;
  }
  const std::vector<std::string> names = library_names();
  if (std::find(names.begin(), names.end(), name) != names.end()) return library_folder() / (name + ".toml");
  if (fs::exists(folder / (name + ".toml"), ignored))
    throw Error(where + "there is no platform \"" + name + "\" in " + library_folder().string() +
                "; a file of your own is named with its ending: " + (folder / (name + ".toml")).string());
  const std::string unknown = where + "there is no platform \"" + name + "\" in " + library_folder().string();
  const std::string own_files = "; a file of your own is named with its ending .toml";
  if (const std::string near = meant_by(name, names); !near.empty())
    throw Error(unknown + "; did you mean " + near + "? `morgana platforms` lists all" + own_files);
  std::string known;
  for (const std::string& each : names) known += (known.empty() ? "" : ", ") + each;
  throw Error(unknown + "; known are: " + (known.empty() ? "none" : known) + own_files);
}

std::string read_text(const fs::path& file, const std::string& where) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    throw Error(where + file.string() + " is no plain file; name a text file");
  try {
    return read_at_most(file, largest_file);
  } catch (const Error& error) {
    throw Error(where + error.what());
  }
}

}  // namespace morgana
