#include "replay/translation/kept_translation.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "replay/translation/file_size_signal.h"

namespace morgana {
namespace {

/// At the begin of each file.
struct Header {
  std::array<char, 8> magic{'M', 'R', 'G', 'N', 'O', 'P', 'S', '1'};
  std::uint64_t size = 0;        ///< of the file
  std::uint64_t operations = 0;  ///< bytes behind this header; behind them stands the rest, a Packer's
  std::uint64_t checksum = 0;    ///< XXH3 of all behind this header
};

/// Numbers and texts one behind the other.
class Packer {
 public:
  void add(std::uint64_t number) {
    const auto* bytes = reinterpret_cast<const char*>(&number);
    packed_.insert(packed_.end(), bytes, bytes + sizeof number);
  }
  void add(const std::string& text) {
    add(text.size());
    packed_ += text;
  }
  const std::string& packed() const { return packed_; }

 private:
  std::string packed_;
};

/// Nothing from where on something is missing.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::uint8_t> packed) : rest_(packed) {}
  bool sound() const { return sound_; }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::string text() {
    const auto bytes = take(number());
    return {bytes.begin(), bytes.end()};
  }
  /// How many of at least so many bytes each may follow.
  std::uint64_t count(std::size_t bytes_each) {
    const std::uint64_t value = number();
    sound_ = sound_ && value <= rest_.size() / bytes_each;
    return sound_ ? value : 0;
  }

 private:
  std::span<const std::uint8_t> take(std::uint64_t bytes) {
    sound_ = sound_ && bytes <= rest_.size();
    if (!sound_) return {};
    const auto taken = rest_.first(static_cast<std::size_t>(bytes));
    rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
    return taken;
  }
  std::span<const std::uint8_t> rest_;
  bool sound_ = true;
};

std::string packed(const TranslatedRanks& ranks) {
  Packer packer;
  packer.add(ranks.begin.size());
  for (const std::size_t begin : ranks.begin) packer.add(begin);
  packer.add(ranks.errors.size());
  for (const auto& [rank, error] : ranks.errors) {
    packer.add(index(rank));
    packer.add(error);
  }
  packer.add(ranks.notices.size());
  for (const std::string& notice : ranks.notices) packer.add(notice);
  return packer.packed();
}

std::optional<TranslatedRanks> unpacked(std::span<const std::uint8_t> bytes, std::uint64_t operations) {
  constexpr std::size_t number = sizeof(std::uint64_t);
  Unpacker unpacker(bytes);
  TranslatedRanks ranks;
  for (std::uint64_t left = unpacker.count(number); left > 0; --left)
    ranks.begin.push_back(static_cast<std::size_t>(unpacker.number()));
  for (std::uint64_t left = unpacker.count(2 * number); left > 0; --left) {
    const auto rank = static_cast<std::int32_t>(unpacker.number());
    ranks.errors.emplace(Rank{rank}, unpacker.text());
  }
  for (std::uint64_t left = unpacker.count(number); left > 0; --left)
    ranks.notices.push_back(unpacker.text());
  const bool in_order = !ranks.begin.empty() && std::ranges::is_sorted(ranks.begin) &&
                        ranks.begin.front() == 0 && ranks.begin.back() == operations;
  if (!unpacker.sound() || !in_order) return std::nullopt;
  return ranks;
}

bool write_all(int file, const void* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t count = ::write(file, static_cast<const char*>(bytes) + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

KeptTranslation::~KeptTranslation() {
  if (mapped_ != nullptr) ::munmap(const_cast<std::uint8_t*>(mapped_), size_);
}

std::uint64_t size_of_translation(std::span<const std::uint8_t> operations, const TranslatedRanks& ranks) {
  return sizeof(Header) + operations.size() + packed(ranks).size();
}

bool write_translation(int file, std::span<const std::uint8_t> operations, const TranslatedRanks& ranks) {
  const FileSizeSignalIgnored ignored;
  const std::string behind = packed(ranks);
  Header header;
  header.size = sizeof header + operations.size() + behind.size();
  header.operations = operations.size();
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  if (!state) return false;
  XXH3_64bits_reset(state.get());
  XXH3_64bits_update(state.get(), operations.data(), operations.size());
  XXH3_64bits_update(state.get(), behind.data(), behind.size());
  header.checksum = XXH3_64bits_digest(state.get());
  return write_all(file, &header, sizeof header) && write_all(file, operations.data(), operations.size()) &&
         write_all(file, behind.data(), behind.size());
}

std::optional<KeptTranslation> open_translation(const std::filesystem::path& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return std::nullopt;
  struct stat about {};
  const bool known = ::fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(Header));
  const auto size = static_cast<std::size_t>(about.st_size);
  void* mapped = known ? ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
  ::close(file);
  if (mapped == MAP_FAILED) return std::nullopt;
  const auto* bytes = static_cast<const std::uint8_t*>(mapped);
  KeptTranslation kept(bytes, size);
  Header header;
  std::memcpy(&header, bytes, sizeof header);
  const std::span<const std::uint8_t> rest(bytes + sizeof header, size - sizeof header);
  if (header.magic != Header().magic || header.size != size || header.operations > rest.size() ||
      header.checksum != XXH3_64bits(rest.data(), rest.size()))
    return std::nullopt;
  kept.operations = rest.first(static_cast<std::size_t>(header.operations));
  auto ranks = unpacked(rest.subspan(kept.operations.size()), header.operations);
  if (!ranks) return std::nullopt;
  kept.ranks = std::move(*ranks);
  return kept;
}

}  // namespace morgana
