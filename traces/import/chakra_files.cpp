// Which files a name stands for.

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "emulator/core/error.h"
#include "traces/import/chakra_form.h"
#include "traces/import/mapped_text.h"

namespace morgana::chakra {
namespace {

namespace fs = std::filesystem;

/// A file's name: its trace's, and its rank's number where it has one.
struct FileName {
  std::string prefix;
  std::optional<std::uint32_t> rank;
};

std::optional<FileName> parsed_file_name(const std::string& file) {
  std::string_view rest = file;
  if (rest.ends_with(".gz")) rest.remove_suffix(3);
  if (!rest.ends_with(".et")) return std::nullopt;
  rest.remove_suffix(3);
  FileName name{std::string(rest), std::nullopt};
  const std::size_t dot = rest.rfind('.');
  if (dot == std::string_view::npos) return name;
  const std::string_view digits = rest.substr(dot + 1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) return name;
  name.rank = parsed_number<std::uint32_t>(digits);
  if (!name.rank || *name.rank >= most_ranks) return FileName{std::string(rest), std::nullopt};
  name.prefix = rest.substr(0, dot);
  return name;
}

/// By rank, those of one trace. @param prefix  empty: whichever there is
std::map<std::uint32_t, fs::path> numbered_files(const fs::path& folder, std::string& prefix) {
  std::map<std::uint32_t, fs::path> all;
  std::error_code unreadable;
  const bool any = prefix.empty();
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with(".et") && !file.ends_with(".et.gz")) continue;
    const auto name = parsed_file_name(file);
    if (!name || !name->rank) continue;
    if (prefix.empty()) prefix = name->prefix;
    if (name->prefix != prefix) {
      if (!any) continue;
      throw Error(fmt::format("{} holds several execution traces: give one of them, {} or {}",
                              folder.string(), (folder / std::min(prefix, name->prefix)).string(),
                              (folder / std::max(prefix, name->prefix)).string()));
    }
    if (!all.emplace(*name->rank, entry.path()).second)
      throw Error(fmt::format("{} and {}: rank {} has two files; remove one",
                              std::min(all.at(*name->rank), entry.path()).string(),
                              std::max(all.at(*name->rank), entry.path()).filename().string(), *name->rank));
  }
  return all;
}

std::optional<fs::path> existing(fs::path file) {
  std::error_code unknown;
  if (fs::is_regular_file(file, unknown)) return file;
  return std::nullopt;
}

}  // namespace

std::optional<FileSet> files_of(const fs::path& name) {
  std::error_code unknown;
  fs::path folder = name.parent_path().empty() ? fs::path(".") : name.parent_path();
  std::string prefix = name.filename().string();
  constexpr std::string_view number = ".%d";
  if (const std::size_t at = prefix.find(number); at != std::string::npos) {
    const std::string_view rest = std::string_view(prefix).substr(at + number.size());
    if (rest != ".et" && rest != ".et.gz") return std::nullopt;
    prefix.resize(at);
  } else if (fs::is_directory(name, unknown)) {
    folder = name;
    prefix.clear();
  } else if (const auto file = parsed_file_name(prefix)) {
    if (!file->rank) {
      if (!fs::is_regular_file(name, unknown)) return std::nullopt;
      return FileSet{{name}, existing(folder / (file->prefix + ".json"))};
    }
    prefix = file->prefix;
  } else if (prefix.empty() || fs::exists(name, unknown)) {
    return std::nullopt;
  }
  const std::map<std::uint32_t, fs::path> files = numbered_files(folder, prefix);
  if (files.empty()) return std::nullopt;
  FileSet set;
  for (const auto& [rank, file] : files) {
    if (rank != set.ranks.size())
      throw Error(fmt::format("{} is missing: there are files of {} of ranks 0 to {}; give each rank one",
                              (folder / fmt::format("{}.{}.et", prefix, set.ranks.size())).string(),
                              files.size(), files.rbegin()->first));
    set.ranks.push_back(file);
  }
  set.groups = existing(folder / (prefix + ".json"));
  return set;
}

bool is_chakra(const fs::path& name) {
  const std::string text = name.filename().string();
  if (text.ends_with(".et") || text.ends_with(".et.gz")) return true;
  return files_of(name).has_value();
}

}  // namespace morgana::chakra
