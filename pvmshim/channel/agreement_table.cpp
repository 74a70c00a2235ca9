#include "pvmshim/channel/agreement_table.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/interprocess/exceptions.hpp>
#include <boost/interprocess/file_mapping.hpp>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <tuple>

#include "emulator/core/error.h"
#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/process_watch.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/channel/robust_mutex.h"

namespace morgana {
namespace {

namespace bip = boost::interprocess;

/// How many agreements the table holds. An entry is taken until all of its members have left it, so that some
/// rank is still in each of them, and a rank is in one at a time, or each of its threads is. Where this is
/// too little, who joins waits.
constexpr std::size_t room(std::size_t ranks) {
  return 2 * ranks + 64;
}

bip::mapped_region map(const std::string& path, std::size_t begin, std::size_t size) {
  try {
    const bip::file_mapping file(path.c_str(), bip::read_write);
    return {file, bip::read_write, static_cast<bip::offset_t>(begin), size};
  } catch (const bip::interprocess_exception& failure) {
    throw Error(fmt::format("there is no channel to an emulator at {} ({})", path, failure.what()));
  }
}

ChannelHeader& header_in(const bip::mapped_region& region) {
  return *static_cast<ChannelHeader*>(region.get_address());
}

}  // namespace

struct AgreementTable::Entry {
  static constexpr std::uint32_t last_has_given = std::uint32_t{1} << 31;

  bool is_of(const Key& key) const { return context == key.context && number == key.number; }

  std::atomic<std::uint32_t> members;  ///< 0: the entry is free
  std::atomic<std::uint32_t> given;    ///< how many others than the last one have, and whether that one has
  std::atomic<std::uint32_t> left;
  Context context;
  std::uint64_t number;
  FutexWord others_given, all_given;
  std::array<std::atomic<std::uint32_t>, std::tuple_size_v<Words>> words;
};

/// The entries lie behind it.
struct alignas(64) AgreementTable::Shared {
  RobustMutex joining;  ///< held while an entry is looked for, or made of a free one
  Place used;           ///< entries that have been taken at any time: those behind them are free
};

std::size_t AgreementTable::size(std::size_t ranks) {
  const std::size_t bytes = sizeof(Shared) + room(ranks) * sizeof(Entry);
  return (bytes + page_size - 1) / page_size * page_size;
}

void AgreementTable::initialise(std::byte* begin) {
  reinterpret_cast<Shared*>(begin)->joining.initialise();
}

AgreementTable::AgreementTable(const std::string& channel)
    : header_region_(map(channel, 0, sizeof(ChannelHeader))),
      region_(map(channel, slot_offset(header_in(header_region_).settings.ranks),
                  size(header_in(header_region_).settings.ranks))),
      shared_(*static_cast<Shared*>(region_.get_address())),
      room_(room(header_in(header_region_).settings.ranks)) {}

AgreementTable::Entry& AgreementTable::entry(Place place) const {
  return reinterpret_cast<Entry*>(&shared_ + 1)[place];
}

void AgreementTable::begin(Entry& fresh, const Key& key, std::uint32_t members) {
  fresh.given.store(0, std::memory_order_relaxed);
  fresh.left.store(0, std::memory_order_relaxed);
  fresh.context = key.context;
  fresh.number = key.number;
  fresh.others_given.store(0, std::memory_order_relaxed);
  fresh.all_given.store(0, std::memory_order_relaxed);
  for (auto& word : fresh.words) word.store(~std::uint32_t{0}, std::memory_order_relaxed);
  fresh.members.store(members, std::memory_order_release);
}

std::optional<AgreementTable::Place> AgreementTable::find_or_begin(const Key& key, std::uint32_t members) {
  const std::lock_guard lock(shared_.joining);
  Place free = room_;
  for (Place place = 0; place < shared_.used; ++place) {
    const bool is_taken = entry(place).members.load(std::memory_order_acquire) != 0;
    if (is_taken && entry(place).is_of(key)) return place;
    if (!is_taken) free = std::min(free, place);
  }
  if (free == room_ && shared_.used < room_) free = shared_.used++;
  if (free == room_) return std::nullopt;
  begin(entry(free), key, members);
  return free;
}

AgreementTable::Place AgreementTable::join(const Key& key, std::uint32_t members) {
  while (true) {
    if (const auto place = find_or_begin(key, members)) return *place;
    std::this_thread::sleep_for(
        std::chrono::milliseconds(1));  // until the members of another one have left it
  }
}

void AgreementTable::give(Place place, const Words& words, bool is_last) {
  Entry& one = entry(place);
  for (std::size_t i = 0; i < words.size(); ++i) one.words[i].fetch_and(words[i], std::memory_order_relaxed);
  const std::uint32_t own = is_last ? Entry::last_has_given : 1;
  const std::uint32_t given = one.given.fetch_add(own, std::memory_order_acq_rel) + own;
  const std::uint32_t others = one.members.load(std::memory_order_relaxed) - 1;
  if (!is_last && (given & ~Entry::last_has_given) == others) tell(one.others_given);
  if (given == (Entry::last_has_given | others)) tell(one.all_given);
}

void AgreementTable::tell(FutexWord& word) {
  word.store(1, std::memory_order_release);
  futex_wake(word);
}

bool AgreementTable::all_have_given(Place place) const {
  return entry(place).all_given.load(std::memory_order_acquire) != 0;
}

bool AgreementTable::others_have_given(Place place) const {
  return entry(place).others_given.load(std::memory_order_acquire) != 0;
}

void AgreementTable::await_all(Place place) const {
  await(entry(place).all_given);
}

void AgreementTable::await_others(Place place) const {
  await(entry(place).others_given);
}

void AgreementTable::await(FutexWord& word) const {
  const ChannelHeader& header = header_in(header_region_);
  const std::chrono::milliseconds look(std::max<std::size_t>(100, header.settings.ranks));
  while (word.load(std::memory_order_acquire) == 0) {
    if (header.closed.load()) _exit(EXIT_FAILURE);  // the launcher has said why
    futex_wait(word, 0, look);
    if (word.load(std::memory_order_acquire) == 0 && process_has_ended(header.emulator)) emulator_gone();
  }
}

AgreementTable::Words AgreementTable::result(Place place) const {
  Words words;
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = entry(place).words[i].load(std::memory_order_relaxed);
  return words;
}

void AgreementTable::leave(Place place) {
  Entry& one = entry(place);
  const std::uint32_t members = one.members.load(std::memory_order_relaxed);
  if (one.left.fetch_add(1, std::memory_order_acq_rel) + 1 == members)
    one.members.store(0, std::memory_order_release);
}

}  // namespace morgana
