#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cstdlib>
#include <cstring>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/emulator_channel.h"

namespace {

using namespace morgana;
namespace bip = boost::interprocess;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Whatever was accepted must be something that can be said again and means the same.
void check(const Operation& operation) {
  std::vector<Word> words;
  encode(operation, words);
  Operation again;
  decode(words, again);
  require(again == operation);
}

/// Takes all that can be taken. @return false once the emulator has refused the rank
bool take_all(EmulatorChannel& emulator, Operation& operation) {
  try {
    while (emulator.take(Rank{0}, operation)) check(operation);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

/// A rank writes anything at all into its ring, in pieces, and lies about how much it is: the first byte is
/// by how many words, every further eight bytes are a word.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  ChannelSettings settings;
  settings.ranks = 2;
  EmulatorChannel emulator(settings, Bytes(page_size));
  const bip::file_mapping file(emulator.path().c_str(), bip::read_write);
  const bip::mapped_region region(file, bip::read_write, 0, static_cast<std::size_t>(slot_offset(1)));
  auto& slot = *reinterpret_cast<RankSlot*>(static_cast<std::byte*>(region.get_address()) + slot_offset(0));

  Operation operation;
  const std::uint64_t lie = data[0] < 128 ? 0 : data[0];
  std::uint64_t written = 0;
  for (std::size_t at = 1; at + sizeof(Word) <= size; at += sizeof(Word)) {
    std::memcpy(&slot.operations.words[written % OperationRing::capacity], data + at, sizeof(Word));
    slot.operations.written.store(++written);
    if (written % 64 == 0 && !take_all(emulator, operation)) return 0;
  }
  slot.operations.written.store(written + (lie << (data[0] & 63)));
  emulator.computed(Rank{0});
  take_all(emulator, operation);
  return 0;
}
