#include "pvmshim/pvmd/message.h"

#include <cassert>
#include <cstring>
#include <string>

namespace morgana::pvm {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw Error(std::string("a block of shared memory holds no PVM message: ") + what);
}

std::size_t data_offset(std::size_t parts) {
  return sizeof(MessageHeader) + parts * sizeof(Part);
}

}  // namespace

std::size_t block_size(std::size_t parts, std::size_t data) {
  return data_offset(parts) + data;
}

std::span<std::byte> begin_message(std::span<std::byte> block, const MessageHeader& header,
                                   std::span<const Part> parts) {
  assert(header.magic == message_magic && header.parts == parts.size());
  assert(block.size() >= block_size(parts.size(), header.size));
  std::memcpy(block.data(), &header, sizeof header);
  if (!parts.empty()) std::memcpy(block.data() + sizeof header, parts.data(), parts.size_bytes());
  return block.subspan(data_offset(parts.size()), header.size);
}

MessageView view_message(std::span<const std::byte> block) {
  assert(reinterpret_cast<std::uintptr_t>(block.data()) % alignof(Part) == 0);
  MessageView view;
  MessageHeader& header = view.header;
  require(block.size() >= sizeof header, "too short");
  std::memcpy(&header, block.data(), sizeof header);
  require(header.magic == message_magic, "no such mark at its begin");
  require(header.encoding <= static_cast<std::uint32_t>(Encoding::in_place), "an unknown encoding");
  require(header.parts <= (block.size() - sizeof header) / sizeof(Part), "too many parts");
  const std::size_t begin = data_offset(header.parts);
  require(header.size <= block.size() - begin, "too little data");
  view.parts = {reinterpret_cast<const Part*>(block.data() + sizeof header), header.parts};
  view.data = block.subspan(begin, header.size);
  std::int64_t end = 0;
  for (const Part& part : view.parts) {
    require(part.type >= 0 && part.type <= last_part_type, "a part of unknown type");
    require(part.count >= 0, "a part of negative size");
    require(part.end >= end && static_cast<std::uint64_t>(part.end) <= header.size,
            "parts that do not follow each other");
    end = part.end;
  }
  return view;
}

}  // namespace morgana::pvm
