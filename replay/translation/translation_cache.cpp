#include "replay/translation/translation_cache.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "emulator/core/error.h"

namespace fs = std::filesystem;

namespace morgana {
namespace {

constexpr std::string_view ending = ".operations";

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
using HashState = std::unique_ptr<XXH3_state_t, FreeState>;

/// @return whether all of it could be read
bool hash_file(XXH3_state_t& state, const fs::path& file, std::vector<char>& buffer,
               const std::function<void()>& reading) {
  std::ifstream in(file, std::ios::binary);
  while (in) {
    in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    XXH3_128bits_update(&state, buffer.data(), static_cast<std::size_t>(in.gcount()));
    if (reading) reading();
  }
  return in.eof();
}

void hash_text(XXH3_state_t& state, const std::string& text) {
  XXH3_128bits_update(&state, text.c_str(), text.size() + 1);
}

/// Which build of the command this is: what it makes of a trace may change with any other.
std::string this_build() {
  struct stat about {};
  if (::stat("/proc/self/exe", &about) != 0) return "unknown";
  return fmt::format("{} {} {}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

}  // namespace

struct TranslationCache::File {
  fs::path path;
  std::uint64_t bytes;
  fs::file_time_type used;
};

std::optional<TranslationCache> TranslationCache::of_user() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string own = variable("MORGANA_CACHE"); !own.empty())
    return own == "off" ? std::nullopt : std::optional<TranslationCache>(own);
  // The XDG specification: relative paths there are to be ignored.
  if (const std::string cache = variable("XDG_CACHE_HOME"); cache.starts_with('/'))
    return TranslationCache(fs::path(cache) / "morgana");
  if (const std::string home = variable("HOME"); !home.empty())
    return TranslationCache(fs::path(home) / ".cache" / "morgana");
  return std::nullopt;
}

std::optional<std::string> TranslationCache::name_of(const fs::path& anchor,
                                                     const std::function<void()>& reading) const {
  std::error_code error;
  fs::path stem = anchor;
  stem.replace_extension();
  fs::path definitions = stem;
  definitions += ".def";
  std::vector<fs::path> parts{anchor, definitions};
  for (fs::directory_iterator each(stem, error), end; !error && each != end; each.increment(error))
    parts.push_back(each->path());
  if (error) return std::nullopt;
  std::ranges::sort(parts);
  std::uint64_t bytes = 0;
  for (const fs::path& part : parts) {
    bytes += fs::file_size(part, error);
    if (error) return std::nullopt;
  }
  if (bytes < least_) return std::nullopt;
  const HashState state(XXH3_createState());
  if (!state) return std::nullopt;
  XXH3_128bits_reset(state.get());
  hash_text(*state, this_build());
  std::vector<char> buffer(std::size_t{1} << 20);
  for (const fs::path& part : parts) {
    hash_text(*state, part.lexically_relative(anchor.parent_path()).string());
    hash_text(*state, std::to_string(fs::file_size(part, error)));
    if (error || !hash_file(*state, part, buffer, reading)) return std::nullopt;
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state.get());
  return fmt::format("{:016x}{:016x}{}", hash.high64, hash.low64, ending);
}

std::optional<KeptTranslation> TranslationCache::find(const std::string& name) const {
  const fs::path path = folder_ / name;
  std::optional<KeptTranslation> kept = open_translation(path);
  if (kept) ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return kept;
}

void TranslationCache::keep(const std::string& name, std::span<const std::uint8_t> operations,
                            const TranslatedRanks& ranks) const {
  const std::uint64_t size = size_of_translation(operations, ranks);
  if (size > limit_) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  make_room(size);
  std::string beside = (folder_ / "unfinished-XXXXXX").string();
  const int file = ::mkostemp(beside.data(), O_CLOEXEC);
  if (file < 0) return;
  const bool written = write_translation(file, operations, ranks);
  const bool whole = ::close(file) == 0 && written;
  if (!whole || ::rename(beside.c_str(), (folder_ / name).c_str()) != 0) ::unlink(beside.c_str());
}

std::vector<TranslationCache::File> TranslationCache::files() const {
  std::vector<File> all;
  std::error_code error;
  for (fs::directory_iterator each(folder_, error), end; !error && each != end; each.increment(error)) {
    const std::string name = each->path().filename().string();
    if (!name.ends_with(ending) && !name.starts_with("unfinished-")) continue;
    File file{each->path(), each->file_size(error), each->last_write_time(error)};
    if (!error) all.push_back(std::move(file));
    error.clear();  // somebody else has removed it
  }
  return all;
}

/// Files that other commands have mapped stay readable for them.
void TranslationCache::make_room(std::uint64_t bytes) const {
  std::vector<File> all = files();
  std::ranges::sort(all, {}, &File::used);
  std::uint64_t taken = 0;
  for (const File& file : all) taken += file.bytes;
  for (const File& file : all) {
    if (taken + bytes <= limit_) return;
    std::error_code error;
    fs::remove(file.path, error);
    taken -= file.bytes;
  }
}

TranslationCache::Use TranslationCache::use() const {
  Use all;
  for (const File& file : files()) {
    ++all.files;
    all.bytes += file.bytes;
  }
  return all;
}

TranslationCache::Use TranslationCache::clear() const {
  Use removed;
  for (const File& file : files()) {
    std::error_code error;
    fs::remove(file.path, error);
    if (error) throw Error(fmt::format("can't remove {}: {}", file.path.string(), error.message()));
    ++removed.files;
    removed.bytes += file.bytes;
  }
  return removed;
}

}  // namespace morgana
