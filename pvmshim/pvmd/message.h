#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/operation.h"
#include "pvmshim/pvmd/task_id.h"

namespace morgana::pvm {

/// The data encodings of pvm_initsend (PvmDataDefault, PvmDataRaw, PvmDataInPlace).
enum class Encoding : std::uint32_t { xdr = 0, raw = 1, in_place = 2 };

/// What one pvm_pk* call has packed.
using Part = MessagePart;

/// A PVM message as it lies in a payload block: this header, the parts, the data.
struct MessageHeader {
  std::uint32_t magic;   ///< message_magic
  TaskId source;         ///< the sender's id; not always a task's: notifications come from a daemon
  std::int32_t context;  ///< PVM's, not the engine's
  std::int32_t tag;
  std::uint32_t encoding;  ///< Encoding
  std::uint32_t parts;     ///< their number
  std::uint64_t size;      ///< of the data, in bytes
};
constexpr std::uint32_t message_magic = 0x4d564d50;
/// The source of notifications: the daemon of the task's own host (pvm_bufinfo shows it as TIDPVMD).
constexpr TaskId daemon_source = std::numeric_limits<TaskId>::min();

/// A message in a block of shared memory, checked.
struct MessageView {
  MessageHeader header;
  std::span<const Part> parts;
  std::span<const std::byte> data;
};

/// Bytes that a block must have for a message.
std::size_t block_size(std::size_t parts, std::size_t data);
/// Writes header and parts. @return where the `header.size` bytes of data go
std::span<std::byte> begin_message(std::span<std::byte> block, const MessageHeader& header,
                                   std::span<const Part> parts);
/// @param block  aligned like Part; may be longer than the message
/// @throws Error if the block holds no message
MessageView view_message(std::span<const std::byte> block);

// How PVM's contexts stand in the engine's: context 0 is the world's, so that tasks that never use another
// one send plain messages; any task may use the others. Tags are PVM's own, >= 0.
constexpr Context engine_context(std::int32_t context) {
  if (context == 0) return world_context;
  return open_context(static_cast<std::uint32_t>(context));
}

}  // namespace morgana::pvm
