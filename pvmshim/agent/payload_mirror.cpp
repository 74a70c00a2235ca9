#include "pvmshim/agent/payload_mirror.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <iterator>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/marked_payload.h"
#include "pvmshim/channel/message_frames.h"
#include "pvmshim/channel/payload_arenas.h"
#include "pvmshim/channel/released_payload.h"

namespace morgana {
namespace {

namespace bip = boost::interprocess;

/// A copy's of several readers: what ranks take off it is what they have released. None of them ever is the
/// last.
constexpr std::uint32_t readers_of_copy = std::uint32_t{1} << 30;
/// Copies of at least so many bytes give their pages back.
constexpr std::size_t large = 16 * page_size;

}  // namespace

class PayloadMirror::Memory {
 public:
  explicit Memory(const std::string& channel)
      : region_(bip::file_mapping(channel.c_str(), bip::read_write), bip::read_write),
        header_(*static_cast<ChannelHeader*>(region_.get_address())),
        arenas_(start() + arenas_offset(header_.settings.ranks), header_.payload_room, header_.settings.ranks,
                Rank{0}, true) {}

  const PayloadArenas& arenas() const { return arenas_; }
  ChannelHeader& header() { return header_; }
  RankSlot& slot(Rank rank) const { return *reinterpret_cast<RankSlot*>(start() + slot_offset(index(rank))); }
  /// What a copy that nobody reads any more takes, but for the pages at its ends.
  void give_pages_back(std::span<std::byte> data) const {
    const auto address = reinterpret_cast<std::uintptr_t>(data.data());
    const std::uintptr_t begin = (address + page_size - 1) / page_size * page_size;
    const std::uintptr_t end = (address + data.size()) / page_size * page_size;
    if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_REMOVE);
  }

 private:
  std::byte* start() const { return static_cast<std::byte*>(region_.get_address()); }

  bip::mapped_region region_;
  ChannelHeader& header_;
  PayloadArenas arenas_;
};

PayloadMirror::PayloadMirror(const std::string& channel) : memory_(std::make_unique<Memory>(channel)) {}
PayloadMirror::~PayloadMirror() = default;

bool PayloadMirror::is_block_of_several(std::uint64_t handle) const {
  return memory_->arenas().is_block(handle) && memory_->arenas().readers(handle) > 1;
}

std::uint64_t PayloadMirror::mark(std::uint64_t handle) {
  // The same for all readers of a message to several, whose sends come here one after the other.
  if (is_block_of_several(handle))
    if (const std::uint64_t before = memory_->arenas().mark(handle); before != 0)
      return marked(handle, short_mark(before));
  std::atomic<std::uint64_t>& marks = memory_->slot(memory_->arenas().owner(handle)).marks;
  std::uint64_t mark = 0;
  while (short_mark(mark) == 0) mark = marks.fetch_add(1, std::memory_order_relaxed);
  memory_->arenas().mark_late(handle, mark);
  return marked(handle, short_mark(mark));
}

Rank PayloadMirror::owner(std::uint64_t marked) const {
  return memory_->arenas().owner(without_mark(marked));
}

bool PayloadMirror::is_block(std::uint64_t marked) const {
  const std::uint64_t handle = without_mark(marked);
  return memory_->arenas().is_block(handle) && short_mark(memory_->arenas().mark(handle)) == mark_of(marked);
}

std::span<const std::byte> PayloadMirror::data(std::uint64_t marked) const {
  return memory_->arenas().data(without_mark(marked));
}

std::uint32_t PayloadMirror::readers(std::uint64_t marked) const {
  return memory_->arenas().readers(without_mark(marked));
}

std::uint64_t PayloadMirror::whole_mark(std::uint64_t marked) const {
  const std::uint64_t mark = memory_->arenas().mark(without_mark(marked));
  if (short_mark(mark) != mark_of(marked))
    throw Error(fmt::format("payload {} has given way to another one", without_mark(marked)));
  return mark;
}

void PayloadMirror::release(std::uint64_t marked, std::uint32_t readers) {
  const std::uint64_t handle = without_mark(marked);
  const PayloadArenas& arenas = memory_->arenas();
  for (; readers > 0; --readers)
    if (arenas.release(handle)) hand_back(arenas, memory_->slot(arenas.owner(handle)), handle);
}

bool PayloadMirror::has_copy(std::uint64_t marked) const {
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find(without_mark(marked));
  return found != copies_.end() && found->second.marked == marked && found->second.is_whole();
}

void PayloadMirror::note_gone(std::uint64_t marked) {
  const std::lock_guard lock(mutex_);
  gone_.insert(marked);
}

bool PayloadMirror::is_gone(std::uint64_t marked) const {
  const std::lock_guard lock(mutex_);
  return gone_.contains(marked);
}

void PayloadMirror::forget_gone() {
  const std::lock_guard lock(mutex_);
  gone_.clear();
}

void PayloadMirror::put_part(std::uint64_t marked, std::uint64_t mark, std::uint32_t readers,
                             std::uint64_t size, std::uint64_t begin, std::span<const std::byte> part) {
  if (short_mark(mark) != mark_of(marked))
    throw Error(fmt::format("payload {} has two marks", without_mark(marked)));
  const std::lock_guard lock(mutex_);
  const std::uint64_t handle = without_mark(marked);
  // It may have been asked for while it was on its way; ranks may have put the copy on a list since.
  if (const auto there = copies_.find(handle);
      there != copies_.end() && there->second.mark == mark && there->second.is_whole())
    return;
  if (begin == 0 && has_newer_copy(handle, mark, size)) {
    outdated_.insert(marked);
    gone_.insert(marked);
  }
  if (const auto outdated = outdated_.find(marked); outdated != outdated_.end()) {
    if (begin + part.size() >= size) outdated_.erase(outdated);
    return;
  }
  if (begin == 0) {
    // What has lain there has no readers any more, or its owner could not have used the place again.
    const std::uint64_t end = handle + PayloadArenas::room_of(size);
    auto old = copies_.lower_bound(handle);
    while (old != copies_.begin() && std::prev(old)->second.end > handle) --old;
    while (old != copies_.end() && old->first < end) {
      // Its other parts are still to come, unless this is the same one, from the start.
      if (!old->second.is_whole() && old->second.mark != mark) outdated_.insert(old->second.marked);
      old = forget(old);
    }
    gone_.erase(marked);
    memory_->arenas().make_copy(handle, size, readers == 1 ? 1 : readers_of_copy);
    copies_.emplace(handle, Copy{marked, mark, end, size, readers});
    if (readers == 1)
      ++lent_[memory_->arenas().owner(handle)];
    else
      shared_.insert(handle);
  }
  const auto found = copies_.find(handle);
  if (found == copies_.end() || found->second.mark != mark || found->second.come != begin ||
      part.size() > found->second.size - begin)
    throw Error(fmt::format("payload {} comes in parts that do not follow each other", handle));
  std::ranges::copy(part, memory_->arenas().data(handle).begin() + static_cast<std::ptrdiff_t>(begin));
  found->second.come += part.size();
}

/// A rank that waits for it now does not read it.
PayloadMirror::Copies::iterator PayloadMirror::forget(Copies::iterator copy) {
  const std::uint64_t handle = copy->first;
  gone_.insert(copy->second.marked);
  if (copy->second.has_one_reader()) {
    const auto lent = lent_.find(memory_->arenas().owner(handle));
    if (--lent->second == 0) lent_.erase(lent);
  } else {
    shared_.erase(handle);
  }
  return copies_.erase(copy);
}

/// Ranks and agents write to one connection, but not in the order of what they have marked: what was asked
/// for once more, while it was on its way, may come behind what lies at its place now.
bool PayloadMirror::has_newer_copy(std::uint64_t handle, std::uint64_t mark, std::uint64_t size) const {
  const std::uint64_t end = handle + PayloadArenas::room_of(size);
  auto there = copies_.lower_bound(handle);
  while (there != copies_.begin() && std::prev(there)->second.end > handle) --there;
  for (; there != copies_.end() && there->first < end; ++there)
    if (is_newer(there->second.mark, mark)) return true;
  return false;
}

MachineLine& PayloadMirror::line(std::size_t machine) const {
  return memory_->slot(Rank{static_cast<std::int32_t>(machine)}).line;
}

std::atomic<std::uint32_t>& PayloadMirror::left() const {
  return memory_->header().leaving;
}

void PayloadMirror::send_leaving(std::size_t machine, int socket) {
  std::vector<std::uint64_t> handles;
  memory_->arenas().take_list(line(machine).leaving, handles);
  if (!send_messages(socket, memory_->arenas(), handles)) line(machine).break_off(-1, errno);
}

void PayloadMirror::announce(std::uint64_t marked, Rank receiver, Context context, Tag tag) {
  if (!has_copy(marked)) throw Error(fmt::format("message {} is announced before it has come", marked));
  const std::uint64_t handle = without_mark(marked);
  const PayloadArenas& arenas = memory_->arenas();
  arenas.address(handle, receiver, context, tag);
  arenas.put_on_list(memory_->slot(receiver).announced, handle);
}

void PayloadMirror::wake(Rank receiver) const {
  ring(memory_->slot(receiver), SleepsFor::message);
}

/// What readers of one-reader copies have put on the lists of the owners, who are not here to look there.
void PayloadMirror::collect_handed_back(std::vector<Released>& all) {
  std::vector<std::uint64_t> handles;
  for (const auto& [owner, count] : lent_) {
    std::atomic<std::uint64_t>& released = memory_->slot(owner).released;
    if (released.load(std::memory_order_relaxed) != 0) memory_->arenas().take_list(released, handles);
  }
  for (const std::uint64_t handle : handles) {
    const auto copy = copies_.find(handle);
    if (copy == copies_.end()) continue;
    all.push_back({copy->second.marked, 1});
    if (const auto data = memory_->arenas().data(handle); data.size() >= large)
      memory_->give_pages_back(data);
    forget(copy);
  }
}

std::vector<PayloadMirror::Released> PayloadMirror::collect() {
  std::vector<Released> all;
  const std::lock_guard lock(mutex_);
  collect_handed_back(all);
  for (auto entry = shared_.begin(); entry != shared_.end();) {
    const auto found = copies_.find(*entry++);
    auto& [handle, copy] = *found;
    if (!copy.is_whole()) continue;
    const std::uint32_t released = readers_of_copy - memory_->arenas().readers(handle);
    if (released != copy.released) all.push_back({copy.marked, released - copy.released});
    copy.released = released;
    if (released < copy.readers) continue;
    if (const auto data = memory_->arenas().data(handle); data.size() >= large)
      memory_->give_pages_back(data);
    forget(found);
  }
  return all;
}

}  // namespace morgana
