#include "emulator/platform/library.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <system_error>

#include "emulator/core/bounded_file.h"
#include "emulator/core/error.h"
#include "emulator/schema/nearest.h"
#include "emulator/schema/schema.h"

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

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name)
    if (c == '-' || c == '_')
      parts.emplace_back();
    else
      parts.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::erase_if(parts, [](const std::string& part) { return part.empty(); });
  return parts;
}

/// Names that begin with what was asked for, contain it, or share most of its parts ("hdr", "fat", "tree"),
/// or else the nearest one; empty if none is near.
std::vector<std::string> meant_by(const std::string& name, const std::vector<std::string>& names) {
  constexpr std::size_t most = 8, shortest = 3;
  const auto matching = [&](const auto& matches) {
    std::vector<std::string> found;
    for (const std::string& each : names)
      if (matches(each) && found.size() < most) found.push_back(each);
    return found;
  };
  if (name.empty()) return {};
  const auto alike = [&](const std::string& each) {
    return each.starts_with(name) || (name.size() >= shortest && each.find(name) != std::string::npos);
  };
  if (auto found = matching(alike); !found.empty()) return found;
  if (auto close = nearest(name, names)) return {*close};
  std::size_t best = 0;
  const auto shared = [&](const std::string& each) {
    std::size_t count = 0;
    for (const std::string& part : parts_of(each))
      for (const std::string& asked : parts_of(name))
        if (part == asked && part.size() >= shortest) ++count;
    return count;
  };
  for (const std::string& each : names) best = std::max(best, shared(each));
  if (best == 0) return {};
  return matching([&](const std::string& each) { return shared(each) == best; });
}

/// "atm- (27), myrinet- (7), ...": the first parts of names that several platforms share, the most common
/// first, then how many others there are.
std::string families_of(const std::vector<std::string>& names) {
  std::map<std::string, std::size_t> sizes;
  for (const std::string& name : names) ++sizes[name.substr(0, name.find('-'))];
  std::vector<std::pair<std::string, std::size_t>> families;
  std::size_t others = 0;
  for (const auto& family : sizes)
    if (family.second > 1)
      families.push_back(family);
    else
      ++others;
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [first, size] : families) text += first + "-... (" + std::to_string(size) + "), ";
  return text + std::to_string(others) + " others";
}

}  // namespace

fs::path library_folder() {
  std::error_code ignored;
  if (const char* set = std::getenv("MORGANA_PLATFORMS"); set != nullptr && *set != '\0') {
    if (!fs::is_directory(set, ignored))
      throw Error("MORGANA_PLATFORMS is set to " + std::string(set) +
                  ", which is not a folder; unset it or name the folder of the platform files");
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
  if (const std::vector<std::string> near = meant_by(name, names); !near.empty())
    throw Error(unknown + "; did you mean " + joined_by_or(near) + "? `morgana platforms` lists all" +
                own_files);
  throw Error(unknown + (names.empty() ? "; there is none at all" : "; there are " + families_of(names)) +
              "; `morgana platforms` lists all" + own_files);
}

std::string read_text(const fs::path& file, const std::string& where) {
  std::error_code failed;
  if (!fs::is_regular_file(file, failed))
    throw Error(where + file.string() + " is not a plain file; name a text file");
  try {
    return read_at_most(file, largest_file);
  } catch (const Error& error) {
    throw Error(where + error.what());
  }
}

}  // namespace morgana
