#include "traces/import/dumpi/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "emulator/core/error.h"
#include "traces/import/dumpi/file.h"
#include "traces/import/mapped_text.h"

namespace morgana::dumpi {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_dumpi_ranks = 1'000'000;

/// What a .meta file says.
struct Meta {
  std::optional<std::size_t> ranks;  ///< numprocs
  std::string prefix;                ///< fileprefix
};

std::optional<Meta> read_meta(const fs::path& file) {
  // It has about ten short lines: what is longer is something else.
  constexpr std::streamsize most_bytes = 1 << 16;
  std::ifstream stream(file, std::ios::binary);
  std::string text(most_bytes, '\0');
  stream.read(text.data(), most_bytes);
  if (stream.gcount() == most_bytes) return std::nullopt;
  text.resize(static_cast<std::size_t>(stream.gcount()));
  Meta meta;
  bool has_version = false;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    begin = end + 1;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, equals), value = line.substr(equals + 1);
    if (key == "numprocs") {
      meta.ranks = parsed_number<std::size_t>(value);
      if (!meta.ranks || *meta.ranks == 0 || *meta.ranks > most_dumpi_ranks)
        throw Error(fmt::format("{}: numprocs is \"{}\", which is not a number of ranks", file.string(),
                                value.substr(0, 30)));
    } else if (key == "fileprefix") {
      meta.prefix = value;
    } else if (key == "version") {
      has_version = true;
    }
  }
  if (!has_version || meta.prefix.empty()) return std::nullopt;
  return meta;
}

/// Number of the rank whose file has this name; nothing if it is no rank's file of this prefix.
std::optional<std::size_t> rank_of(std::string_view name, std::string_view prefix) {
  constexpr std::string_view ending = ".bin";
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return std::nullopt;
  name.remove_prefix(prefix.size());
  if (!name.starts_with('-') || name.size() <= ending.size() + 1) return std::nullopt;
  return parsed_number<std::size_t>(name.substr(1, name.size() - ending.size() - 1));
}

std::map<std::size_t, fs::path> files_beside(const fs::path& file, std::string_view prefix) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::map<std::size_t, fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const auto rank = rank_of(name, prefix);
    if (!rank || *rank >= most_dumpi_ranks) continue;
    if (!found.emplace(*rank, file.has_parent_path() ? entry.path() : fs::path(name)).second)
      throw Error(fmt::format("{}: rank {} has two files, {} and {}; remove one", file.string(), *rank,
                              found.at(*rank).filename().string(), name));
  }
  return found;
}

}  // namespace

bool is_dumpi(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  if (is_rank_file(file)) return true;
  return file.extension() == ".meta" && read_meta(file).has_value();
}

std::vector<fs::path> rank_files(const fs::path& file) {
  std::string prefix;
  std::optional<Meta> meta;
  std::map<std::size_t, fs::path> files;
  if (is_rank_file(file)) {
    prefix = file.stem().string();
    const std::size_t dash = prefix.rfind('-');
    if (dash == std::string::npos || !rank_of(file.filename().string(), prefix.substr(0, dash)))
      throw Error(fmt::format("{}: a rank's file is called PREFIX-NUMBER.bin", file.string()));
    prefix.resize(dash);
    const fs::path beside = file.parent_path() / (prefix + ".meta");
    std::error_code error;
    if (fs::is_regular_file(beside, error)) meta = read_meta(beside);
    files = files_beside(file, prefix);
  } else {
    meta = read_meta(file);
    if (!meta)
      throw Error(fmt::format("{}: is neither a .meta file of DUMPI nor a rank's file", file.string()));
    // Who renames the files of a trace seldom edits this.
    prefix = file.stem().string();
    files = files_beside(file, prefix);
    if (files.empty()) files = files_beside(file, prefix = meta->prefix);
  }
  const std::size_t ranks = meta && meta->ranks ? *meta->ranks
                            : files.empty()     ? 1
                                                : files.rbegin()->first + 1;
  std::vector<fs::path> all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto found = files.find(rank);
    if (found == files.end())
      throw Error(fmt::format("{}: the file of rank {} of {} is missing: {}-{:04}.bin", file.string(), rank,
                              ranks, prefix, rank));
    all.push_back(found->second);
  }
  return all;
}

}  // namespace morgana::dumpi
